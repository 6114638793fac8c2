"""Where the vectors of new pieces begin (Dobler & de Melo 2023, *FOCUS*).

Static vectors of all pieces, learned from the text, tell which known pieces stand in the places where a new one stands;
the new one begins as a mean of their vectors in the encoder, by how alike they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from fewshot.pretraining.factors import embed
from fewshot.pretraining.lexicon import neighbours
from fewshot.pretraining.new_pieces import FEWEST, READ
from fewshot.pretraining.tokenizer import piece_ids

SIZE = 100
"""Of a static vector, at most."""

POWER = 0.5
"""Of the singular values of static vectors."""

AT_ONCE = 500
"""New pieces that are compared with all known ones at once."""


def begin(table: Tensor, tokenizer: PreTrainedTokenizerFast, sentences: Sequence[str], old: int, seed: int) -> Tensor:
    """Return the embeddings of a tokenizer with new pieces.

    Args:
        table: ``[old pieces or more, size]``, the encoder's embeddings.
        tokenizer: its new pieces are numbered from ``old``.
        old: number of pieces that the encoder knows.

    Returns:
        ``[pieces, size]``: the rows that there were, and behind them the means of those of known pieces that occur
        `FEWEST` times, weighed by the sparsemax of cosines; where the text does not tell, a draw from the distribution
        of all rows.
    """
    known, total = table[:old], len(tokenizer)
    drawn = torch.randn(total - old, table.shape[1], generator=torch.Generator().manual_seed(seed))
    rows = drawn * known.std(0) + known.mean(0)
    texts = [np.asarray(ids) for ids in piece_ids(tokenizer, sentences[:READ]) if ids]
    counts = np.bincount(np.concatenate(texts), minlength=total)
    counts[tokenizer.all_special_ids] = 0
    alike = np.flatnonzero(counts[:old] >= FEWEST)
    occurring = np.flatnonzero(counts)
    contexts = neighbours(texts, total)[occurring]
    size = min(SIZE, *(each - 1 for each in contexts.shape))
    if len(alike) and size > 0:
        static = np.zeros((total, size), dtype=np.float32)
        static[occurring] = embed(contexts, size, POWER, seed)
        told = np.flatnonzero(static[old:].any(axis=1))
        for start in range(0, len(told), AT_ONCE):
            new = told[start : start + AT_ONCE]
            rows[new] = torch.from_numpy(sparsemax(static[old + new] @ static[alike].T)).float() @ known[alike]
    return torch.cat([known, rows])


def sparsemax(scores: np.ndarray) -> np.ndarray:
    """Return the nearest point of the simplex to each row (Martins & Astudillo 2016): most of its numbers are 0."""
    falling = -np.sort(-scores, axis=1)
    numbers = np.arange(1, scores.shape[1] + 1)
    sums = falling.cumsum(axis=1)
    support = (1 + numbers * falling > sums).sum(axis=1, keepdims=True)
    threshold = (np.take_along_axis(sums, support - 1, axis=1) - 1) / support
    return np.maximum(scores - threshold, 0)
