"""What studies compute with: correlations over languages, similarities of vectors, linear probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import torch
from scipy import stats
from torch import Tensor, nn

Numbers = Sequence[float] | np.ndarray
"""One a language."""

LEAST = 4
"""Languages; of fewer no correlation is given, nor could it be significant."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient, its two-sided p, the number of languages, and its 95% interval; NaN where they are not known.

    There is no coefficient of too few languages, or where one side does not vary.
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
    if not _varied(x, y):
        return Correlation(nan, nan, len(x))
    found = stats.pearsonr(x, y)
    low, high = found.confidence_interval(0.95)
    return Correlation(float(found.statistic), float(found.pvalue), len(x), float(low), float(high))


def spearman(x: Numbers, y: Numbers) -> Correlation:
    """Return Spearman's rank correlation; p by permutation: all of them for up to 7 languages, else 9,999 draws."""
    if not _varied(x, y):
        return Correlation(nan, nan, len(x))

    ranks, others = (_standard(stats.rankdata(side)) for side in (x, y))

    def statistic(order: np.ndarray, axis: int) -> np.ndarray:
        return (np.moveaxis(order, axis, -1) * others).mean(-1)

    tested = stats.permutation_test((ranks,), statistic, permutation_type="pairings", vectorized=True, rng=0)
    return Correlation(float(tested.statistic), float(tested.pvalue), len(x))


def _varied(x: Numbers, y: Numbers) -> bool:
    return len(x) >= LEAST and len(set(x)) > 1 and len(set(y)) > 1


def _standard(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std()


def linear_cka(x: Tensor, y: Tensor) -> float:
    """Return linear CKA (Kornblith et al. 2019), ``|X'Y|^2 / (|X'X| |Y'Y|)`` in Frobenius norms with centered columns.

    It is 1 for vectors that differ by a rotation, a reflection, a factor and a shift. It does not fall to 0 for vectors
    that have nothing to do with each other: two independent Gaussian sets of the same size come to about
    ``hidden / (n + hidden)``. So compare at one n, or take `debiased_cka`.

    Args:
        x: ``[n, hidden]``.
        y: ``[n, hidden of its own]``; row i is of the same thing as row i of ``x``.

    Returns:
        From 0 to 1; NaN where all rows of one side are equal.
    """
    x, y = (side.double() - side.double().mean(0) for side in (x, y))
    return float((x.T @ y).square().sum() / (torch.linalg.norm(x.T @ x) * torch.linalg.norm(y.T @ y)))


def debiased_cka(x: Tensor, y: Tensor) -> float:
    """Return linear CKA from unbiased HSIC (Song et al. 2012, equation 5): about 0 for what is independent, at any n.

    It is at most 1, and below 0 by chance; NaN where all rows of one side are equal. ``n`` is at least 4.
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


@dataclass(frozen=True, slots=True)
class Probe:
    """Multinomial logistic regression on fixed vectors, standardised by the mean and scale of the training vectors."""

    mean: Tensor
    scale: Tensor
    weights: Tensor
    bias: Tensor

    def predict(self, vectors: Tensor) -> Tensor:
        """Return the likeliest class of each vector ``[n, hidden]``."""
        return (((vectors.double() - self.mean) / self.scale) @ self.weights + self.bias).argmax(1)


def train_probe(vectors: Tensor, labels: Tensor, classes: int, penalty: float = 1.0) -> Probe:
    """Minimise the summed cross-entropy plus half the squared weights times the penalty, by L-BFGS, from zero.

    The loss is strictly convex but for a common shift of the biases: there is one solution, and no seed.

    Args:
        vectors: ``[n, hidden]``, on any device but in double precision, so not on MPS.
        labels: ``[n]``, from 0.
        penalty: on the weights of standardised vectors, not on the biases; scikit-learn's ``1 / C``.
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
        value = nn.functional.cross_entropy(x @ weights + bias, labels) + penalty * weights.square().sum() / (
            2 * len(x)
        )
        value.backward()
        return value

    optimiser.step(loss)
    return Probe(mean, scale, weights.detach(), bias.detach())
