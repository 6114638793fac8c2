"""Centered kernel alignment: how alike two sets of vectors of the same things are (Kornblith et al. 2019)."""

from __future__ import annotations

import torch
from torch import Tensor


def linear(x: Tensor, y: Tensor) -> float:
    """Return linear CKA, ``|X'Y|^2 / (|X'X| |Y'Y|)`` in Frobenius norms with centered columns.

    It is 1 for vectors that differ by a rotation, a reflection, a factor and a shift. It does not fall to 0 for vectors
    that have nothing to do with each other: two independent Gaussian sets of the same size come to about
    ``hidden / (n + hidden)``. So compare at one n, or take `debiased`.

    Args:
        x: ``[n, hidden]``.
        y: ``[n, hidden of its own]``; row i is of the same thing as row i of ``x``.

    Returns:
        From 0 to 1; NaN where all rows of one side are equal.
    """
    x, y = (side.double() - side.double().mean(0) for side in (x, y))
    return float((x.T @ y).square().sum() / (torch.linalg.norm(x.T @ x) * torch.linalg.norm(y.T @ y)))


def debiased(x: Tensor, y: Tensor) -> float:
    """Return linear CKA from unbiased HSIC (Song et al. 2012, equation 5): about 0 for what is independent, at any n.

    Args:
        x: ``[n, hidden]``, n at least 4.
        y: ``[n, hidden of its own]``.

    Returns:
        At most 1, and below 0 by chance; NaN where all rows of one side are equal.
    """
    k, m = (_kernel(side) for side in (x, y))
    return float(_hsic(k, m) / (_hsic(k, k) * _hsic(m, m)).sqrt())


def _kernel(x: Tensor) -> Tensor:
    """Return the inner products of centered rows, 0 on the diagonal, ``[n, n]``."""
    x = x.double() - x.double().mean(0)
    return (x @ x.T).fill_diagonal_(0)


def _hsic(k: Tensor, m: Tensor) -> Tensor:
    n = len(k)
    apart = k.sum() * m.sum() / ((n - 1) * (n - 2))
    shared = 2 * (k.sum(0) @ m.sum(0)) / (n - 2)
    return ((k * m).sum() + apart - shared) / (n * (n - 3))
