"""Vectors of pieces by factoring the pointwise mutual information of pieces and contexts."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

from fewshot.errors import FewshotError

SMOOTHING = 0.75
"""Power of the counts of contexts."""


def ppmi(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return positive PMI of counts ``[pieces, contexts]``, smoothed as by Levy, Goldberg & Dagan (2015).

    It is ``max(0, log p(piece, context) / (p(piece) p(context)))``.
    """
    matrix = counts.tocoo()
    by_piece = np.asarray(counts.sum(1)).ravel()
    by_context = np.asarray(counts.sum(0)).ravel() ** SMOOTHING
    scale = by_context.sum()
    values = np.log(matrix.data * scale / (by_piece[matrix.row] * by_context[matrix.col]))
    keep = values > 0
    where = (matrix.row[keep], matrix.col[keep])
    return sparse.csr_matrix((values[keep].astype(np.float32), where), shape=counts.shape)


def embed(counts: sparse.csr_matrix, size: int, power: float, seed: int) -> np.ndarray:
    """Return unit vectors of pieces ``[pieces, size]``; zeros for pieces that never occur.

    Args:
        counts: ``[pieces, contexts]``.
        power: of the singular values: 0 weighs all directions equally, 1 keeps their weights in the matrix.
        seed: of the solver's start vector.

    Raises:
        FewshotError: when ``size`` is not smaller than the numbers of pieces and contexts.
    """
    if min(counts.shape) <= size:
        pieces, contexts = counts.shape
        raise FewshotError(f"{pieces} pieces in {contexts} contexts: alignment takes more than hidden = {size} of each")
    matrix = ppmi(counts)
    start = np.random.default_rng(seed).standard_normal(min(matrix.shape)).astype(np.float32)
    left, values, _ = svds(matrix, k=size, v0=start, rng=seed)
    order = np.argsort(-values)
    vectors = left[:, order] * values[order] ** power
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 1e-6)
