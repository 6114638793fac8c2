"""Initial vectors of new pieces (Dobler & de Melo 2023, *FOCUS*).

Static vectors of all pieces, learned from the text, give the similarity of a new piece to the known pieces; the initial
vector of the new piece is the mean of their vectors in the encoder, weighted by this similarity.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from fewshot.pretraining.factors import embed
from fewshot.pretraining.lexicon import neighbours
from fewshot.pretraining.new_pieces import MAX_SENTENCES, MIN_COUNT
from fewshot.pretraining.tokenizer import piece_ids

MAX_STATIC_SIZE = 100
"""Maximum size of a static vector."""

STATIC_POWER = 0.5
"""Power of the singular values of static vectors."""

BATCH_PIECES = 500
"""New pieces that are compared with all known pieces at once."""


def begin(table: Tensor, tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], old: int, seed: int) -> Tensor:
    """Return the embeddings of a tokenizer with new pieces, which are numbered from ``old``.

    Args:
        table: ``[old pieces or more, size]``, the encoder's embeddings.

    Returns:
        ``[pieces, size]``: the old rows and the new ones, which are means of the rows of known pieces with `MIN_COUNT`
        occurrences, weighted by the sparsemax of cosines. A new piece without a static vector is drawn from the
        distribution of all rows.
    """
    known, total = table[:old], len(tokenizer)
    drawn = torch.randn(total - old, table.shape[1], generator=torch.Generator().manual_seed(seed))
    rows = drawn * known.std(0) + known.mean(0)
    texts = [np.asarray(ids) for ids in piece_ids(tokenizer, sentences[:MAX_SENTENCES]) if ids]
    counts = np.bincount(np.concatenate(texts), minlength=total)
    counts[tokenizer.all_special_ids] = 0
    frequent = np.flatnonzero(counts[:old] >= MIN_COUNT)
    occurring = np.flatnonzero(counts)
    contexts = neighbours(texts, total)[occurring]
    size = min(MAX_STATIC_SIZE, *(extent - 1 for extent in contexts.shape))
    if len(frequent) and size > 0:
        static = np.zeros((total, size), dtype=np.float32)
        static[occurring] = embed(contexts, size, STATIC_POWER, seed)
        known_new = np.flatnonzero(static[old:].any(axis=1))
        for start in range(0, len(known_new), BATCH_PIECES):
            new = known_new[start : start + BATCH_PIECES]
            rows[new] = torch.from_numpy(sparsemax(static[old + new] @ static[frequent].T)).float() @ known[frequent]
    return torch.cat([known, rows])


def sparsemax(scores: np.ndarray) -> np.ndarray:
    """Return the nearest point of the simplex to each row (Martins & Astudillo 2016): mostly zeros."""
    falling = -np.sort(-scores, axis=1)
    numbers = np.arange(1, scores.shape[1] + 1)
    sums = falling.cumsum(axis=1)
    support = (1 + numbers * falling > sums).sum(axis=1, keepdims=True)
    threshold = (np.take_along_axis(sums, support - 1, axis=1) - 1) / support
    return np.maximum(scores - threshold, 0)
