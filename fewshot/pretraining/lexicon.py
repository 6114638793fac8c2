"""Embeddings aligned by a bilingual lexicon: a piece gets the vector of its translations.

The lexicon is learnt from sentence pairs by two word-translation models that must agree (Liang, Taskar & Klein 2006,
"Alignment by agreement", over IBM Model 1). Vectors of the pivot language are made from the neighbours of each piece,
and so separate word classes; the other languages inherit them (Tran 2020, "From English to foreign languages").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from scipy import sparse

ITERATIONS = 5
MAX_PIECES = 100
"""Different pieces of a sentence; pairs with a longer sentence are left out."""

MIN_EXPECTED_COUNT = 0.1
"""Translations with a smaller expected count are left out."""

OFFSETS = (-2, -1, 1, 2)
MAX_FEATURES = 20_000
"""Number of most frequent pieces that count as neighbours."""


def translations(pairs: Iterable[tuple[np.ndarray, np.ndarray]], vocabulary: int) -> sparse.csr_matrix:
    """Count how often each piece translates each other piece, from pairs of piece ids of translations.

    Returns:
        ``[pieces, pieces of the translations]``: expected counts under the product of both directions' posteriors.
    """
    left, right, at_left, at_right = _cells(pairs)
    cells, cell = np.unique(left.astype(np.int64) * vocabulary + right, return_inverse=True)
    left, right = cells // vocabulary, cells % vocabulary
    counts: np.ndarray = np.zeros(len(cells))
    forward = backward = np.ones(len(cells), dtype=np.float32)
    for _ in range(ITERATIONS if len(cells) else 0):
        posterior = _share(forward[cell], at_right) * _share(backward[cell], at_left)
        counts = np.bincount(cell, posterior, len(cells))
        forward, backward = _share(counts, left), _share(counts, right)
    keep = counts > MIN_EXPECTED_COUNT
    return sparse.csr_matrix((counts[keep], (left[keep], right[keep])), shape=(vocabulary, vocabulary))


def _cells(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, ...]:
    """Return the ids and the corpus positions of each pair of pieces that could be translations."""
    parts: list[tuple[np.ndarray, ...]] = [(np.zeros(0, dtype=np.int32),) * 4]
    lefts = rights = 0
    for first, second in pairs:
        a, b = np.unique(first), np.unique(second)
        if max(len(a), len(b)) > MAX_PIECES:
            continue
        numbers = np.arange(lefts, lefts + len(a)), np.arange(rights, rights + len(b))
        ids = (np.repeat(a, len(b)), np.tile(b, len(a)))
        places = (np.repeat(numbers[0], len(b)), np.tile(numbers[1], len(a)))
        parts.append(tuple(column.astype(np.int32) for column in (*ids, *places)))
        lefts, rights = lefts + len(a), rights + len(b)
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def _share(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Divide each value by the sum of its group."""
    return (values / np.maximum(np.bincount(group, values), 1e-12)[group]).astype(np.float32)


def neighbours(sentences: Iterable[np.ndarray], vocabulary: int) -> sparse.csr_matrix:
    """Return counts of the pieces 1 and 2 places away, ``[pieces, places * frequent pieces]``."""
    gap = [-1] * max(OFFSETS)
    flat = np.concatenate([np.asarray([*gap, *sentence, *gap]) for sentence in sentences])
    frequent = np.argsort(-np.bincount(flat[flat >= 0], minlength=vocabulary), kind="stable")[:MAX_FEATURES]
    column = np.full(vocabulary + 1, -1)
    column[frequent] = np.arange(len(frequent))
    blocks = []
    for offset in OFFSETS:
        neighbour = column[np.roll(flat, -offset)]
        known = (flat >= 0) & (neighbour >= 0)
        places = (flat[known], neighbour[known])
        ones = np.ones(int(known.sum()), dtype=np.float32)
        blocks.append(sparse.csr_matrix((ones, places), shape=(vocabulary, len(frequent))))
    return sparse.hstack(blocks).tocsr()


def inherit(
    vectors: np.ndarray, own: np.ndarray, lexicons: Mapping[str, sparse.csr_matrix], counts: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Give every piece the mean vector of its translations.

    A piece of several languages, including the pivot, gets the mean over these languages by its share of their text.

    Args:
        vectors: ``[pieces, size]``, unit vectors of the pivot language's pieces; zeros for other pieces.
        own: ``[pieces]``, counts of pieces in the pivot language.
        lexicons: by language, from `translations` into the pivot language.
        counts: by language, ``[pieces]``, counts of pieces.

    Returns:
        ``[pieces, size]``, unit vectors; zeros for pieces without translations.
    """
    weights = sparse.diags(_frequency(own, vectors.any(axis=1)))
    for lang, lexicon in lexicons.items():
        totals = np.asarray(lexicon.sum(axis=1)).ravel()
        frequency = _frequency(counts[lang], totals > 0) / np.maximum(totals, 1e-12)
        weights = weights + sparse.diags(frequency) @ lexicon
    mixed = weights.tocsr() @ vectors
    norms = np.linalg.norm(mixed, axis=1, keepdims=True)
    return np.divide(mixed, norms, out=np.zeros_like(mixed), where=norms > 0)


def _frequency(counts: np.ndarray, known: np.ndarray | np.bool) -> np.ndarray:
    return np.where(known, counts / max(1, counts.sum()), 0.0)
