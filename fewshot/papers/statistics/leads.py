"""How far one sampler is ahead of another: at equal sentences, tokens or dollars, in the mean over languages.

A sampler that takes long sentences wins per sentence what it may lose per token, and annotators are paid by either
(Lauscher et al. 2020, sections 4.1 and 4.2, compare per sentence only).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from fewshot.curves.points import Curve, Point

AXES = {"k": "sentence", "tokens": "token", "annotation": "dollar"}
"""What may be equal: names of `Point`'s fields, and the unit. Dollars are those of annotation alone."""


@dataclass(frozen=True, slots=True)
class Lead:
    """Points that one mean is above another.

    Args:
        points: the difference.
        half: half the width of its 95% interval.
    """

    points: float
    half: float

    @property
    def sure(self) -> bool:
        """Whether the interval leaves no doubt which one is ahead."""
        return abs(self.points) > self.half


def mean_curve(curves: Sequence[Curve], name: str) -> Curve:
    """Return the mean of the curves of several languages, each of which counts the same.

    Languages are those that were asked for, not a draw from all there are: the interval holds the noise of each one's
    draws, seeds and test set, and says nothing about other languages. Half-widths of t intervals whose variances differ
    add as variances; the result covers at least 95% (Banerjee 1960).

    Args:
        curves: of one sampler, with the same k.
        name: of the mean.
    """
    columns = zip(*(curve.points for curve in curves), strict=True)
    return replace(curves[0], name=name, group="", points=tuple(_mean_point(column) for column in columns), scores=())


def _mean_point(points: Sequence[Point]) -> Point:
    def mean(field: str) -> float:
        return float(np.mean([getattr(point, field) for point in points]))

    half, score = _pooled([_half(point) for point in points]), mean("score")
    return Point(
        k=points[0].k,
        tokens=mean("tokens"),
        minutes=mean("minutes"),
        dollars=mean("dollars"),
        annotation=mean("annotation"),
        compute=mean("compute"),
        kwh=mean("kwh"),
        score=score,
        low=max(score - half, 0.0),
        high=min(score + half, 100.0),
        gain=mean("gain"),
        runs=sum(point.runs for point in points),
        shot_sets=min(point.shot_sets for point in points),
    )


def leads(mine: Sequence[Curve], base: Sequence[Curve], axis: str) -> dict[int, Lead | None]:
    """Return how far a sampler is ahead of another at each of its k > 0, in the mean over languages.

    Between two points of the other sampler its score is read off the straight line that figures show, whose axis is in
    square roots (`fewshot.curves.plots`). Beyond its last point nothing is read off.

    Args:
        mine: curves of the sampler, one a language.
        base: of the other sampler, in the same order.
        axis: what is equal, of `AXES`.

    Returns:
        By k; None where the other sampler was not measured so far in some language, or its axis does not rise with k,
        as dollars do not where labels are free.
    """
    found: dict[int, Lead | None] = {}
    for place, point in enumerate(mine[0].points):
        if point.k:
            each = [_lead(one.points[place], other, axis) for one, other in zip(mine, base, strict=True)]
            known = [lead for lead in each if lead]
            whole = len(known) == len(each)
            points = float(np.mean([lead.points for lead in known])) if whole else 0.0
            found[point.k] = Lead(points, _pooled([lead.half for lead in known])) if whole else None
    return found


def common(by_sampler: Mapping[str, Mapping[int, Lead | None]]) -> tuple[int, ...]:
    """Return the k at which each sampler has a lead, but for samplers that have none at all."""
    known = [{k for k, lead in by_k.items() if lead} for by_k in by_sampler.values()]
    return tuple(sorted(set.intersection(*filter(None, known)))) if any(known) else ()


def over_k(by_k: Mapping[int, Lead | None], ks: Sequence[int]) -> Lead | None:
    """Return the mean lead over some k; its half-width is their mean, since draws are nested.

    Args:
        by_k: what `leads` has found.
        ks: those that samplers are compared at, see `common`.

    Returns:
        None where there are no k, or one of them has no lead.
    """
    known = [lead for k in ks if (lead := by_k.get(k))]
    if not known or len(known) < len(ks):
        return None
    return Lead(float(np.mean([lead.points for lead in known])), float(np.mean([lead.half for lead in known])))


def widening(samplers: int, curves: Sequence[Curve]) -> float:
    """Return what to multiply a half-width by where the best sampler was picked before it was compared (Bonferroni).

    Any two of the samplers might have turned out to be the first and the second, so that each of the pairs gets its
    share of the 5%. The fewer the draws, the heavier the tails: the quantiles are those of Student's t.

    Args:
        samplers: that were compared.
        curves: of the two, in each language; those with the fewest draws count.
    """
    draws = [
        point.shot_sets if point.shot_sets > 1 else point.runs for one in curves for point in one.points if point.k
    ]
    freedom = min((n - 1 for n in draws if n > 1), default=np.inf)  # one run has the noise of its test set alone
    pairs = samplers * (samplers - 1) / 2
    return float(stdtrit(freedom, 1 - 0.025 / pairs) / stdtrit(freedom, 0.975))


def _lead(point: Point, other: Curve, axis: str) -> Lead | None:
    places = [getattr(one, axis) ** 0.5 for one in other.points]
    at = getattr(point, axis) ** 0.5
    if at > places[-1] * (1 + 1e-9) or np.min(np.diff(places)) <= 0:  # a price is a product of floats
        return None
    score = np.interp(at, places, [one.score for one in other.points])
    half = np.interp(at, places, [_half(one) for one in other.points])
    return Lead(float(point.score - score), float(np.hypot(_half(point), half)))


def _half(point: Point) -> float:
    return max(point.high - point.score, point.score - point.low)


def _pooled(halves: Sequence[float]) -> float:
    return float(np.linalg.norm(halves)) / max(len(halves), 1)
