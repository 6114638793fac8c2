"""Fitted learning curves, which predict the score at larger k with a band.

Two forms of the error (100 - score), both written ``error = a (k + k0)^-b``:

- *power law*: k0 = 0, through the points with k > 0, without zero-shot.
- *anchored*: k0 > 0, ``error = e0 (1 + k / k0)^-b``, through zero-shot too.

Both are fitted by least squares to the logarithm of the error, where the formulas are straight lines for a given k0,
with a prior on b and k0 that supports the fit while points are few. The weights of the forms are exp(-chi2 / 2). The
slope b may be negative, for curves that fall. A curve that first falls below zero-shot reduces the weight of the
anchored form, and deviations from both forms widen the band.

The band comes from replicates. Each replicate resamples the shot sets and their seeds, adds the noise that a sample
cannot show, draws the mean of the prior, and is fitted anew; beyond the last point it drifts as a random walk in ln k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fewshot.curves.points import Score
from fewshot.errors import FewshotError
from fewshot.tasks import CurvePrior

Array = npt.NDArray[np.float64]

COVERAGE = 0.8
"""Intended share of true scores within a band."""

MIN_ERROR = 0.1
"""Error in points assumed for a perfect score, so that its logarithm exists."""

KNEES = np.geomspace(0.1, 300, 32)
"""Candidates for k0 of the anchored form, in examples."""

PRIOR_WEIGHT = 3.0
"""Degrees of freedom of the prior's noise, added to those of a curve's own residuals."""

MISFIT = 0.5
"""Share of the prior's noise that more shot sets do not reduce, as the formulas are approximate."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted learning curve: replicates of ``ln error = level - slope ln(k + knee)``.

    Args:
        level: ``[replicates]``, ln of the error in points.
        slope: ``[replicates]``, the exponent b.
        knee: ``[replicates]``, k0 in examples; 0 for the power law.
        best: level, slope and knee of the power law and of the anchored form, ``[2, 3]``.
        weights: weights of the two forms.
        last: the largest measured k.
        noise: noise of the score about the formula, in ln error, up to the last k and beyond it: ``[replicates, 2]``.
        drift: ``[replicates]``, the random walk beyond the last k, in ln error per square root of ln k.
    """

    level: Array
    slope: Array
    knee: Array
    best: Array
    weights: tuple[float, float]
    last: int
    noise: Array
    drift: Array

    def predict(self, ks: Sequence[float] | Array) -> Array:
        """Return the expected score in percent at each k > 0, the weighted mean of both forms."""
        level, slope, knee = (column[:, None] for column in self.best.T)
        return np.asarray(self.weights @ _scores(level - slope * np.log(np.asarray(ks, float) + knee)))

    def replicates(self, ks: Sequence[float] | Array) -> Array:
        """Return the score in percent of every replicate at each k > 0: ``[replicates, ks]``."""
        shots = np.asarray(ks, float)
        logs = self.level[:, None] - self.slope[:, None] * np.log(shots + self.knee[:, None])
        beyond = np.log(np.maximum(shots, self.last) / self.last)
        noise = self.noise[:, (shots > self.last).astype(int)]
        return _scores(logs + noise + self.drift[:, None] * np.sqrt(beyond))

    def band(self, ks: Sequence[float] | Array, share: float = COVERAGE) -> tuple[Array, Array]:
        """Return the lower and the upper end, in percent, of the band with a given probability."""
        low, high = np.quantile(self.replicates(ks), [(1 - share) / 2, (1 + share) / 2], axis=0)
        return low, high


def fit(scores: Sequence[Score], prior: CurvePrior, replicates: int = 400, seed: int = 0) -> Fit:
    """Fit a learning curve.

    Args:
        scores: scores of all runs, at least one with k > 0; with few k the prior dominates.

    Raises:
        FewshotError: when no score has k > 0.
    """
    if not any(score.k for score in scores):
        raise FewshotError("cannot fit a learning curve without a score at k above 0; run a larger k first")
    ks, errors, noise = _summary(scores, prior)
    center = (np.array([prior.slope]), np.array([prior.knee]))
    forms, chi2 = _fit_forms(ks, errors[None], noise, prior, *center)
    weights = np.exp(-(chi2[:, 0] - chi2.min()) / 2)
    weights /= weights.sum()
    rng = np.random.default_rng(seed)
    freedom = PRIOR_WEIGHT + max(int((ks > 0).sum()) - 2, 0)
    misfit = np.sqrt((PRIOR_WEIGHT + weights @ chi2[:, 0]) / rng.chisquare(freedom, replicates))
    drawn = _resample(scores, prior, misfit, rng)
    slopes = prior.slope + prior.slope_sd * rng.normal(size=replicates)
    knees = prior.knee + prior.knee_sd * rng.normal(size=replicates)
    refitted, _ = _fit_forms(ks, drawn, noise * np.median(misfit), prior, slopes, knees)
    form = (rng.random(replicates) > weights[0]).astype(int)
    level, slope, knee = refitted[form, np.arange(replicates)].T
    departure = MISFIT * prior.noise * misfit[:, None] * rng.normal(size=(replicates, 2))
    drift = prior.drift * misfit * rng.normal(size=replicates)
    return Fit(level, slope, knee, forms[:, 0], (weights[0], weights[1]), int(ks[-1]), departure, drift)


def _scores(log_errors: Array) -> Array:
    return np.asarray(100 - np.minimum(np.exp(log_errors), 100))


def _shot_sets(scores: Sequence[Score]) -> dict[int, dict[int, list[float]]]:
    """Return the ln errors of the seeds, by k and shot set."""
    errors: dict[int, dict[int, list[float]]] = {}
    for score in sorted(scores, key=lambda score: score.k):
        log_error = float(np.log(max(100 - score.score, MIN_ERROR)))
        errors.setdefault(score.k, {}).setdefault(score.shot_set, []).append(log_error)
    return errors


def _summary(scores: Sequence[Score], prior: CurvePrior) -> tuple[Array, Array, Array]:
    """Return each k, its mean ln error, and the standard deviation due to drawing and to the formula."""
    ks, errors, noise = [], [], []
    for k, sets in _shot_sets(scores).items():
        means = [float(np.mean(seeds)) for seeds in sets.values()]
        n = len(means)
        spread = PRIOR_WEIGHT * prior.noise**2 + float(np.var(means)) * n
        variance = spread / (PRIOR_WEIGHT + n - 1)
        ks.append(k)
        errors.append(float(np.mean(means)))
        noise.append((variance / n + (0 if n == 1 else (MISFIT * prior.noise) ** 2)) ** 0.5)
    return np.array(ks, float), np.array(errors), np.array(noise)


def _resample(scores: Sequence[Score], prior: CurvePrior, misfit: Array, rng: np.random.Generator) -> Array:
    """Return ln errors of resampled shot sets and seeds, with noise: ``[replicates, points]``.

    A shot set is drawn for all k at once, as draws are nested. The variance of the bootstrap is corrected by n / (n -
    1); for a single shot set the noise is that of the prior.
    """
    grouped = _shot_sets(scores)
    drawn = np.empty((len(misfit), len(grouped)))
    order = rng.random((len(misfit), max(map(len, grouped.values()))))  # draws of each replicate, as ranks in [0, 1)
    for column, sets in enumerate(grouped.values()):
        n = len(sets)
        mean = np.mean([np.mean(sets[number]) for number in sets])
        resampled = [rng.choice(sets[number], (len(misfit), len(sets[number]))).mean(axis=1) for number in sorted(sets)]
        replicate = np.take_along_axis(np.stack(resampled, axis=1), (order[:, :n] * n).astype(int), axis=1)
        drawn[:, column] = mean + (n / max(n - 1, 1)) ** 0.5 * (replicate.mean(axis=1) - mean)
        share = 1.0 if n == 1 else MISFIT
        drawn[:, column] += share * prior.noise * misfit * rng.normal(size=len(misfit))
    return drawn


def _fit_forms(
    ks: Array, errors: Array, noise: Array, prior: CurvePrior, slopes: Array, knees: Array
) -> tuple[Array, Array]:
    """Fit both forms to many replicates at once.

    Args:
        ks: ``[points]``.
        errors: ln errors, ``[replicates, points]``.
        noise: standard deviations of the errors, ``[points]``.
        prior: prior, for its widths.
        slopes: prior mean of b in each replicate.
        knees: prior mean of ln k0 in each replicate.

    Returns:
        Level, slope, knee ``[forms, replicates, 3]`` and chi2 ``[forms, replicates]``, the power law first.
    """
    bought = ks > 0
    power, power_chi2 = _line(ks[bought], errors[:, bought], noise[bought], 0.0, slopes, prior.slope_sd)
    if bought.all():
        return np.stack([power, power]), np.stack([power_chi2, power_chi2])
    tried = [_line(ks, errors, noise, knee, slopes, prior.slope_sd) for knee in KNEES]
    chi2 = np.stack([chi2 for _, chi2 in tried]) + ((np.log(KNEES)[:, None] - knees) / prior.knee_sd) ** 2
    best = chi2.argmin(axis=0)
    every = np.arange(len(errors))
    anchored = np.stack([line for line, _ in tried])[best, every]
    return np.stack([power, anchored]), np.stack([power_chi2, chi2[best, every]])


def _line(ks: Array, errors: Array, noise: Array, knee: float, slopes: Array, slope_sd: float) -> tuple[Array, Array]:
    """Return level, slope and knee of the least-squares line over ln(k + knee), and chi2 with the prior."""
    design = np.stack([np.ones(len(ks)), -np.log(ks + knee)], axis=1)
    weighted = design / noise[:, None] ** 2
    normal = weighted.T @ design + np.diag([1e-9, slope_sd**-2])
    right = errors @ weighted
    right[:, 1] += slopes / slope_sd**2
    lines = np.linalg.solve(normal, right.T).T
    chi2 = (((errors - lines @ design.T) / noise) ** 2).sum(axis=1) + ((lines[:, 1] - slopes) / slope_sd) ** 2
    return np.column_stack([lines, np.full(len(lines), knee)]), chi2
