"""Embeddings that are aligned across languages before any training.

Pieces that occur in translations of one sentence get similar vectors: the SVD of the matrix of pieces by sentence
ids, weighted by positive pointwise mutual information (Levy, Søgaard & Goldberg 2017, "A strong baseline for learning
cross-lingual word embeddings from sentence alignments").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds


def occurrences(rows: Iterable[Iterable[Sequence[int]]], vocabulary: int) -> sparse.csr_matrix:
    """Count in which aligned sentences each piece occurs.

    Args:
        rows: for each sentence id, the piece ids of each of its translations.
        vocabulary: number of pieces.

    Returns:
        ``[pieces, sentence ids]``, in how many translations of the sentence a piece occurs.
    """
    pieces: list[np.ndarray] = []
    ids: list[np.ndarray] = []
    columns = 0
    for column, translations in enumerate(rows):
        here = np.concatenate([np.unique(np.asarray(text, dtype=np.int32)) for text in translations])
        pieces.append(here)
        ids.append(np.full(len(here), column, dtype=np.int32))
        columns = column + 1
    where = (np.concatenate(pieces), np.concatenate(ids))
    return sparse.csr_matrix((np.ones(len(where[0]), dtype=np.float32), where), shape=(vocabulary, columns))


def ppmi(counts: sparse.csr_matrix, smoothing: float = 0.75) -> sparse.csr_matrix:
    """Weigh counts by positive pointwise mutual information, ``max(0, log p(piece, id) / (p(piece) p(id)))``.

    Args:
        counts: ``[pieces, sentence ids]``.
        smoothing: exponent on the counts of sentence ids (Levy, Goldberg & Dagan 2015).
    """
    matrix = counts.tocoo()
    by_piece = np.asarray(counts.sum(1)).ravel()
    by_id = np.asarray(counts.sum(0)).ravel() ** smoothing
    scale = by_id.sum()
    values = np.log(matrix.data * scale / (by_piece[matrix.row] * by_id[matrix.col]))
    keep = values > 0
    where = (matrix.row[keep], matrix.col[keep])
    return sparse.csr_matrix((values[keep].astype(np.float32), where), shape=counts.shape)


def embed(counts: sparse.csr_matrix, size: int, power: float, seed: int) -> np.ndarray:
    """Return unit vectors of pieces; zeros for pieces that never occur.

    Args:
        counts: ``[pieces, sentence ids]``.
        size: of a vector.
        power: of the singular values: 0 weighs all directions equally, 1 as the matrix has them.
        seed: of the solver's start vector.

    Returns:
        ``[pieces, size]``.
    """
    matrix = ppmi(counts)
    start = np.random.default_rng(seed).standard_normal(min(matrix.shape)).astype(np.float32)
    left, values, _ = svds(matrix, k=size, v0=start, rng=seed)
    order = np.argsort(-values)
    vectors = left[:, order] * values[order] ** power
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 1e-6)
