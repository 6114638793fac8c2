"""What curves cost beside each other: each step, a target score, the front of score against dollars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fewshot import tasks
from fewshot.curves import fits
from fewshot.curves.forecast import along
from fewshot.curves.points import Curve, Point
from fewshot.errors import FewshotError

HORIZON = 100
"""How many times the measured k a target is looked for; what is not reached by then is out of reach."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line of a curve's table: a point and what the step from the point before it cost.

    Args:
        point: the point.
        per_further_point: dollars for each point gained since the point before; None where nothing was gained.
    """

    point: Point
    per_further_point: float | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What it costs to reach a score.

    Args:
        score: the target, in percent.
        k: expected number of shots; None where the fitted curve stays below the target.
        dollars: of these, annotation and computing; None as k.
        low: lower end of the 80% interval of the dollars.
        high: upper end; None where more than a tenth of the replicates never reach the target.
        extrapolated: whether the k is beyond what was measured.
    """

    score: float
    k: float | None
    dollars: float | None
    low: float | None
    high: float | None
    extrapolated: bool


def steps(curve: Curve) -> Iterator[Step]:
    """Yield the table of a curve."""
    before = curve.points[0]
    for point in curve.points:
        gain, price = point.score - before.score, point.dollars - before.dollars
        yield Step(point, price / gain if gain > 0 and point.k else None)
        before = point


def cost_to_reach(curve: Curve, target: float) -> Cost:
    """Return what a score costs on the fitted curve; where that falls or stays below, at the point that reached it.

    There the interval goes from the point before to that point: the score was reached somewhere between them.

    Args:
        curve: with one point k > 0 at least.
        target: in percent.

    Raises:
        FewshotError: when the target is no percentage, or there are no shots yet.
    """
    if not 0 < target < 100:
        raise FewshotError(f"a target of {target:g}; give a score between 0 and 100")
    if not curve.points[0].k and curve.points[0].score >= target:
        return Cost(target, 0, 0.0, 0.0, 0.0, extrapolated=False)
    fitted = fits.fit(curve.scores, tasks.get(curve.task).curve)
    last = curve.points[-1].k
    ks = np.geomspace(1, last * HORIZON, 600)
    dollars = along(curve, "dollars", ks)
    measured = target <= max(point.score for point in curve.points)
    expected = _reached(fitted.predict(ks), target)
    if measured and not expected.any():
        steps = zip((curve.points[0], *curve.points), curve.points, strict=False)
        before, first = next(step for step in steps if step[1].score >= target)
        return Cost(target, float(first.k), first.dollars, before.dollars, first.dollars, extrapolated=False)
    drawn = _reached(fitted.replicates(ks), target, measured)
    reached = np.where(drawn.any(axis=1), dollars[drawn.argmax(axis=1)], np.inf)
    low, high = np.quantile(reached, [(1 - fits.BAND) / 2, (1 + fits.BAND) / 2], method="nearest")
    place = int(expected.argmax()) if expected.any() else None
    return Cost(
        score=target,
        k=None if place is None else float(ks[place]),
        dollars=None if place is None else float(dollars[place]),
        low=float(low) if np.isfinite(low) else None,
        high=float(high) if np.isfinite(high) else None,
        extrapolated=place is None or bool(ks[place] > last),
    )


def _reached(scores: fits.Array, target: float, falling: bool = False) -> npt.NDArray[np.bool]:
    """Return where curves have reached a score; one that falls reaches none, unless `falling` ones count."""
    return (scores >= target) & (falling | (scores[..., -1:] > scores[..., :1]))


def pareto(curves: Sequence[Curve]) -> list[tuple[Curve, Point]]:
    """Return the points that no other point beats: each costs more than the one before it and scores higher.

    Args:
        curves: of scores on one test set.
    """
    every = [(curve, point) for curve in curves for point in curve.points]
    front: list[tuple[Curve, Point]] = []
    for curve, point in sorted(every, key=lambda one: (one[1].dollars, -one[1].score)):
        if not front or point.score > front[-1][1].score:
            front.append((curve, point))
    return front
