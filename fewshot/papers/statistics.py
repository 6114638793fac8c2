"""Statistics of the analyses: correlations over languages, similarities of vectors, linear probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import torch
from scipy import stats
from torch import Tensor, nn

Numbers = Sequence[float] | np.ndarray
"""A number for each language."""

MIN_LANGUAGES = 4
"""A correlation over fewer languages could not be significant and is not computed."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient, its two-sided p, the number of languages and the 95% interval; NaN where unknown.

    The coefficient is NaN for too few languages, and for a side that does not vary.
    """

    r: float
    p: float
    n: int
    low: float = nan
    high: float = nan

    def __str__(self) -> str:
        if np.isnan(self.r):
            return "–"
        interval = "" if np.isnan(self.low) else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"{self.r:.2f}{interval}, p {'< 0.001' if self.p < 0.001 else f'= {self.p:.3f}'}"


def pearson(x: Numbers, y: Numbers) -> Correlation:
    """Return Pearson's r; p by Student's t, the interval by Fisher's z."""
    if not _has_variation(x, y):
        return Correlation(nan, nan, len(x))
    result = stats.pearsonr(x, y)
    low, high = result.confidence_interval(0.95)
    return Correlation(float(result.statistic), float(result.pvalue), len(x), float(low), float(high))


def spearman(x: Numbers, y: Numbers) -> Correlation:
    """Return Spearman's rank correlation; p by permutation: all for up to 7 languages, else 9,999."""
    if not _has_variation(x, y):
        return Correlation(nan, nan, len(x))
    ranks_x, ranks_y = (stats.zscore(stats.rankdata(side)) for side in (x, y))

    def statistic(order: np.ndarray, axis: int) -> np.ndarray:
        return (np.moveaxis(order, axis, -1) * ranks_y).mean(-1)

    test = stats.permutation_test((ranks_x,), statistic, permutation_type="pairings", vectorized=True, rng=0)
    return Correlation(float(test.statistic), float(test.pvalue), len(x))


def _has_variation(x: Numbers, y: Numbers) -> bool:
    return len(x) >= MIN_LANGUAGES and len(set(x)) > 1 and len(set(y)) > 1


def linear_cka(x: Tensor, y: Tensor) -> float:
    """Return linear CKA (Kornblith et al. 2019): ``|X'Y|^2 / (|X'X| |Y'Y|)``, columns centered.

    CKA is 1 for vectors that differ by a rotation, a reflection, a factor and a shift. Two independent Gaussian sets of
    the same size have about ``hidden / (n + hidden)``, not 0: compare at one n, or use `debiased_cka`.

    Args:
        x: ``[n, hidden]``.
        y: ``[n, hidden of y]``; row i describes the same item as row i of ``x``.

    Returns:
        0 to 1; NaN where all rows of one side are equal.
    """
    x, y = (side.double() - side.double().mean(0) for side in (x, y))
    return float((x.T @ y).square().sum() / (torch.linalg.norm(x.T @ x) * torch.linalg.norm(y.T @ y)))


def debiased_cka(x: Tensor, y: Tensor) -> float:
    """Return linear CKA from unbiased HSIC (Song et al. 2012, equation 5): about 0 for independent sides.

    The value is at most 1, and by chance below 0; NaN where all rows of one side are equal. ``n`` is at least 4.
    """
    centered = (side.double() - side.double().mean(0) for side in (x, y))
    k, m = ((side @ side.T).fill_diagonal_(0) for side in centered)
    return float(_hsic(k, m) / (_hsic(k, k) * _hsic(m, m)).sqrt())


def _hsic(k: Tensor, m: Tensor) -> Tensor:
    n = len(k)
    apart = k.sum() * m.sum() / ((n - 1) * (n - 2))
    shared = 2 * (k.sum(0) @ m.sum(0)) / (n - 2)
    return ((k * m).sum() + apart - shared) / (n * (n - 3))


@dataclass(frozen=True, slots=True)
class LinearProbe:
    """Multinomial logistic regression on vectors standardised as the training vectors."""

    mean: Tensor
    scale: Tensor
    weights: Tensor
    bias: Tensor

    def predict(self, vectors: Tensor) -> Tensor:
        """Return the most likely class of each vector ``[n, hidden]``."""
        return (((vectors.double() - self.mean) / self.scale) @ self.weights + self.bias).argmax(1)


def train_probe(vectors: Tensor, labels: Tensor, classes: int) -> LinearProbe:
    """Minimise summed cross-entropy plus half the squared weights, by L-BFGS from 0.

    It is scikit-learn's logistic regression with ``C = 1``. The loss has one minimum up to a common shift of the
    biases, so that no seed is needed.

    Args:
        vectors: ``[n, hidden]``; converted to double precision, which MPS lacks.
        labels: ``[n]``, from 0.
    """
    x = vectors.double()
    mean, scale = x.mean(0), x.std(0, correction=0)
    scale = scale.where(scale > 0, torch.ones_like(scale))
    x = (x - mean) / scale
    weights = x.new_zeros(x.shape[1], classes, requires_grad=True)
    bias = x.new_zeros(classes, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [weights, bias], max_iter=1000, tolerance_grad=1e-6, tolerance_change=1e-10, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = nn.functional.cross_entropy(x @ weights + bias, labels) + weights.square().sum() / (2 * len(x))
        value.backward()
        return value

    optimiser.step(loss)
    return LinearProbe(mean, scale, weights.detach(), bias.detach())
