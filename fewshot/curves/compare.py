"""The cost of curves: of each step, of a target score, and the front of score against dollars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fewshot import tasks
from fewshot.curves import fits
from fewshot.curves.advice import interpolate
from fewshot.curves.points import Curve, Point
from fewshot.errors import FewshotError

MAX_K_FACTOR = 100
"""A target beyond this multiple of the measured k counts as out of reach."""


@dataclass(frozen=True, slots=True)
class PricedPoint:
    """A point of a curve and the price of the step from the previous point.

    Args:
        per_further_point: dollars for each point gained since the previous one; None without a gain.
    """

    point: Point
    per_further_point: float | None


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of reaching a score.

    Args:
        k: expected number of shots; None if the fitted curve stays below the target.
        dollars: cost of annotation and computing; None like k.
        low: lower end of the 80% interval of the dollars.
        high: upper end; None if more than a tenth of the replicates never reach the target.
        extrapolated: whether k is beyond the measured range.
    """

    score: float
    k: float | None
    dollars: float | None
    low: float | None
    high: float | None
    extrapolated: bool


def steps(curve: Curve) -> Iterator[PricedPoint]:
    """Yield the steps of a curve."""
    before = curve.points[0]
    for point in curve.points:
        gain, price = point.score - before.score, point.dollars - before.dollars
        yield PricedPoint(point, price / gain if gain > 0 and point.k else None)
        before = point


def cost_to_reach(curve: Curve, target: float) -> Cost:
    """Return the cost of reaching a score on the fitted curve.

    If the fitted curve falls or stays below a score that was measured, the cost is that of the first point with the
    score, with an interval from the previous point to that point.

    Args:
        curve: curve with at least one k > 0.

    Raises:
        FewshotError: without shots, or for a target outside 0 to 100.
    """
    if not 0 < target < 100:
        raise FewshotError(f"target {target:g}: give a score between 0 and 100")
    if not curve.points[0].k and curve.points[0].score >= target:
        return Cost(target, 0, 0.0, 0.0, 0.0, extrapolated=False)
    fitted = fits.fit(curve.scores, tasks.get(curve.task).curve)
    last = curve.points[-1].k
    ks = np.geomspace(1, last * MAX_K_FACTOR, 600)
    dollars = interpolate(curve, "dollars", ks)
    measured = target <= max(point.score for point in curve.points)
    expected = _reached(fitted.predict(ks), target)
    if measured and not expected.any():
        steps = zip((curve.points[0], *curve.points), curve.points, strict=False)
        before, first = next(step for step in steps if step[1].score >= target)
        return Cost(target, float(first.k), first.dollars, before.dollars, first.dollars, extrapolated=False)
    drawn = _reached(fitted.replicates(ks), target, measured)
    reached = np.where(drawn.any(axis=1), dollars[drawn.argmax(axis=1)], np.inf)
    low, high = np.quantile(reached, [(1 - fits.COVERAGE) / 2, (1 + fits.COVERAGE) / 2], method="nearest")
    index = int(expected.argmax()) if expected.any() else None
    return Cost(
        score=target,
        k=None if index is None else float(ks[index]),
        dollars=None if index is None else float(dollars[index]),
        low=float(low) if np.isfinite(low) else None,
        high=float(high) if np.isfinite(high) else None,
        extrapolated=index is None or bool(ks[index] > last),
    )


def _reached(scores: fits.Array, target: float, falling: bool = False) -> npt.NDArray[np.bool]:
    """Return where curves have reached a score; falling curves never do, unless ``falling`` is set."""
    return (scores >= target) & (falling | (scores[..., -1:] > scores[..., :1]))


def pareto(curves: Sequence[Curve]) -> list[tuple[Curve, Point]]:
    """Return the points that no other point beats, by ascending cost and score.

    Args:
        curves: curves with scores on one test set.
    """
    every = [(curve, point) for curve in curves for point in curve.points]
    front: list[tuple[Curve, Point]] = []
    for curve, point in sorted(every, key=lambda pair: (pair[1].dollars, -pair[1].score)):
        if not front or point.score > front[-1][1].score:
            front.append((curve, point))
    return front
