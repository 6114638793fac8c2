"""Forecasts of curves, and advice on whether the next round of annotation is worth its price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewshot import tasks
from fewshot.curves import fits
from fewshot.curves.points import Curve, Point
from fewshot.errors import FewshotError

MIN_GAIN = 1.0
"""Default of the points that a round must gain to be worth annotating."""

MIN_PROBABILITY = 0.2
"""Stop if the probability of a gain above the threshold is below this value."""

MAX_NOISE = 15.0
"""Half width of the 95% interval due to the test set, in points, above which no advice is given."""

LADDER = (10, 50, 100, 500, 1000, 5000, 10000)
"""Default ends of rounds: the numbers of shots of Lauscher et al. 2020 and two larger ones."""


NUM_POINTS = 30
"""Number of k in a drawn forecast, up to the last measured point and again beyond it."""


@dataclass(frozen=True, slots=True)
class NextRound:
    """The expected effect of annotating up to some k, relative to the last measured score.

    Args:
        k: total number of shots after the round.
        gain: expected gain in points, with the ends ``low`` and ``high`` of its 80% interval.
        sure: probability of a gain above the threshold.
    """

    k: int
    size: int
    dollars: float
    gain: float
    low: float
    high: float
    sure: float


@dataclass(frozen=True, slots=True)
class Advice:
    """The recommended next step.

    Args:
        rounds: the next round and larger ones.
        go_on: whether the probability of a gain above the threshold is at least `MIN_PROBABILITY`; None if the test set
            is too small.
        use: k of the best model today; 0 (the source model) if no shots beat zero-shot by a standard error.
        sentence: the advice for users.
    """

    rounds: tuple[NextRound, ...]
    go_on: bool | None
    use: int
    sentence: str


def advise(
    curve: Curve, next_ks: Sequence[int], price: float, threshold: float = MIN_GAIN, kind: str = "examples"
) -> Advice:
    """Return advice on the next round of a curve.

    Args:
        curve: curve with at least one k > 0.
        next_ks: numbers of shots above the last point; the smallest is the end of the next round.
        price: dollars for annotating one more example, see `price_per_example`.

    Raises:
        FewshotError: without shots, or for a k that is not above the last point.
    """
    last, ks = curve.points[-1].k, sorted(next_ks)
    if not ks or ks[0] <= last:
        raise FewshotError(f"next k = {', '.join(map(str, ks)) or 'none'}; give a k above the present {last}")
    fitted = fits.fit(curve.scores, tasks.get(curve.task).curve)
    now = curve.points[-1].score
    gains = fitted.replicates(ks) - now
    expected = fitted.predict(ks)
    low, high = np.quantile(gains, [(1 - fits.COVERAGE) / 2, (1 + fits.COVERAGE) / 2], axis=0)
    rounds = tuple(
        NextRound(
            k=k,
            size=k - last,
            dollars=price * (k - last),
            gain=float(expected[index] - now),
            low=float(low[index]),
            high=float(high[index]),
            sure=float(np.mean(gains[:, index] > threshold)),
        )
        for index, k in enumerate(ks)
    )
    use = best_k(curve)
    if curve.points[-1].noise > MAX_NOISE:
        doubt = f"{curve.points[-1].noise:.0f} points of doubt to either side of a score of {now:.0f}"
        return Advice(rounds, None, use, f"no advice: this test set alone leaves {doubt}; test on more {kind}")
    go_on = rounds[0].sure >= MIN_PROBABILITY
    return Advice(rounds, go_on, use, _sentence(rounds[0], go_on, use, threshold, kind, curve.currency))


def best_k(curve: Curve) -> int:
    """Return the k with the highest score among those that beat zero-shot by a standard error, else 0."""
    start, *bought = curve.points
    if start.k:
        better = [start, *bought]
    else:
        better = [point for point in bought if point.score - start.score > _standard_error(curve, point)]
    return max(better, key=lambda point: point.score).k if better else 0


def price_per_example(curve: Curve) -> float:
    """Return the dollars for annotating one more example, see `Curve.per_example`."""
    return max(curve.per_example("annotation"), 0.0)


def next_ks(curve: Curve) -> list[int]:
    """Return the next two steps of `LADDER` above the last point; beyond the ladder, doubled values."""
    last = curve.points[-1].k
    return [k for k in (*LADDER, 2 * last, 4 * last) if k > last][:2]


def _standard_error(curve: Curve, point: Point) -> float:
    """Return the standard error of the difference to zero-shot: of the draws and of the shared test set."""
    sets: dict[int, list[float]] = {}
    for score in curve.scores:
        if score.k == point.k:
            sets.setdefault(score.shot_set, []).append(score.score)
    means = [float(np.mean(seeds)) for seeds in sets.values()]
    noise = tasks.get(curve.task).curve.noise * (100 - point.score)  # of one shot set, in points
    drawing = float(np.std(means, ddof=1)) if len(means) > 1 else noise
    start = curve.points[0]
    return float(np.hypot(drawing / max(len(means), 1) ** 0.5, (start.high - start.low) / 2 / 1.96))


def _sentence(coming: NextRound, go_on: bool, use: int, threshold: float, kind: str, sign: str) -> str:
    between = f"({fits.COVERAGE:.0%}: {coming.low:.1f} to {coming.high:.1f})"
    verb = "change the score by" if coming.gain < 0 else "bring"
    verdict = (
        f"the next {coming.size:,} {kind} {verb} {coming.gain:.1f} points {between} for {sign}{coming.dollars:,.2f}: "
    )
    if not go_on:
        verdict += f"stop, more than {threshold:g} is unlikely ({coming.sure:.0%})"
    elif coming.gain < threshold:
        verdict += f"go on, more than {threshold:g} is possible ({coming.sure:.0%})"
    else:
        verdict += "go on"
    return verdict + ("" if use else "; use zero-shot today, no shots beat it by a standard error")


@dataclass(frozen=True, slots=True)
class Forecast:
    """A fitted curve from the first k > 0 to the next step beyond the last point.

    Args:
        k: ascending numbers of shots.
        low: lower ends of the 80% band.
        high: upper ends.
        measured: number of k that are not beyond the last point.
    """

    k: tuple[float, ...]
    score: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    tokens: tuple[float, ...]
    minutes: tuple[float, ...]
    dollars: tuple[float, ...]
    measured: int


def forecast(curve: Curve) -> Forecast | None:
    """Return the fitted curve of a curve's scores, or None without shots."""
    ks = [point.k for point in curve.points if point.k]
    if not ks or not curve.scores:
        return None
    measured = np.geomspace(ks[0], ks[-1], NUM_POINTS) if len(ks) > 1 else np.array(ks, float)
    shots = np.concatenate([measured, np.geomspace(ks[-1], next_ks(curve)[0], NUM_POINTS)])
    fitted = fits.fit(curve.scores, tasks.get(curve.task).curve)
    low, high = fitted.band(shots)
    return Forecast(
        k=tuple(shots),
        score=tuple(fitted.predict(shots)),
        low=tuple(low),
        high=tuple(high),
        tokens=tuple(interpolate(curve, "tokens", shots)),
        minutes=tuple(interpolate(curve, "minutes", shots)),
        dollars=tuple(interpolate(curve, "dollars", shots)),
        measured=len(measured),
    )


def interpolate(curve: Curve, field: str, ks: Sequence[float] | fits.Array) -> fits.Array:
    """Return tokens, minutes or dollars at any k, by linear interpolation and extrapolation of the points.

    A curve without a zero-shot point starts at the cost of the test set, see `Curve.without_shots`.
    """
    start = [(0, curve.without_shots(field))] if curve.points[0].k else []
    pairs = [*start, *((point.k, getattr(point, field)) for point in curve.points)]
    known, values = np.array(pairs, float).T
    shots = np.asarray(ks, float)
    inside = np.interp(shots, known, values)
    if len(known) < 2:
        return np.asarray(inside)
    slope = max(values[-1] - values[-2], 0.0) / (known[-1] - known[-2])
    return np.asarray(np.where(shots > known[-1], values[-1] + slope * (shots - known[-1]), inside))
