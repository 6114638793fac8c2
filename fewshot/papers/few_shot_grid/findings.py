"""What a grid found of a task: curves by sampler and language, their means, how far samplers are ahead of each other.

A sampler that takes long sentences wins per sentence what it may lose per token, and annotators are paid by either
(Lauscher et al. 2020, sections 4.1 and 4.2, compare per sentence only): leads are at equal sentences, tokens or
dollars, in the mean over languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from fewshot.costs.prices import Rates
from fewshot.curves.points import Curve, Point, curves, distinct
from fewshot.curves.results import Result
from fewshot.transfer import lauscher

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
    """Return the mean of a sampler's curves of several languages, each of which counts the same; they have the same k.

    Languages are those that were asked for, not a draw from all there are: the interval holds the noise of each one's
    draws, seeds and test set, and says nothing about other languages. Half-widths of t intervals whose variances differ
    add as variances; the result covers at least 95% (Banerjee 1960).
    """
    columns = zip(*(curve.points for curve in curves), strict=True)
    return replace(curves[0], name=name, group="", points=tuple(_mean_point(column) for column in columns), scores=())


def _mean_point(points: Sequence[Point]) -> Point:
    fields = ("tokens", "minutes", "dollars", "annotation", "compute", "kwh", "score", "gain")
    means = {name: float(np.mean([getattr(point, name) for point in points])) for name in fields}
    half, score = _pooled([_half(point) for point in points]), means["score"]
    runs, shot_sets = sum(point.runs for point in points), min(point.shot_sets for point in points)
    low, high = max(score - half, 0.0), min(score + half, 100.0)
    return Point(k=points[0].k, **means, low=low, high=high, runs=runs, shot_sets=shot_sets)


def leads(mine: Sequence[Curve], base: Sequence[Curve], axis: str) -> dict[int, Lead | None]:
    """Return how far a sampler is ahead of another at each of its k > 0, in the mean over languages.

    Between two points of the other sampler its score is read off the straight line that figures show, whose axis is in
    square roots (`fewshot.curves.plots`). Beyond its last point nothing is read off.

    Args:
        mine: curves of the sampler, one a language.
        base: of the other sampler, in the same order.
        axis: what is equal, of `AXES`.

    Returns:
        By k; None where the other sampler was not measured so far in some language, or its axis does not rise with k.
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
    """Return the mean lead over some k, None where one of them has no lead, or there are no k.

    The half-width of the mean is the mean of theirs, since draws are nested.
    """
    known = [lead for k in ks if (lead := by_k.get(k))]
    if not known or len(known) < len(ks):
        return None
    return Lead(float(np.mean([lead.points for lead in known])), float(np.mean([lead.half for lead in known])))


def widening(samplers: int, curves: Sequence[Curve]) -> float:
    """Return what to multiply a half-width by where the best sampler was picked before it was compared (Bonferroni).

    Any two of the samplers might have turned out to be the first and the second, so that each of the pairs gets its
    share of the 5%. The fewer the draws, the heavier the tails: the quantiles are those of Student's t, for the curve
    of the two that has the fewest draws.
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


@dataclass(frozen=True)
class TaskFindings:
    """What a grid found of one task: curves by sampler, one a language in their order, and their means."""

    task: str
    curves: Mapping[str, Sequence[Curve]]
    means: Mapping[str, Curve]
    results: Sequence[Result]

    @property
    def langs(self) -> list[str]:
        """The languages, in order."""
        return list(dict.fromkeys(result.lang for result in self.results))

    @property
    def ks(self) -> list[int]:
        """Every k, 0 first."""
        return [point.k for point in self.means[self.base].points]

    @property
    def base(self) -> str:
        """The sampler that others are compared with: random, or else the first."""
        return lauscher.RANDOM if lauscher.RANDOM in self.means else next(iter(self.means))

    @property
    def others(self) -> list[str]:
        """The other samplers."""
        return [sampler for sampler in self.means if sampler != self.base]

    def leads(self, sampler: str, axis: str) -> dict[int, Lead | None]:
        """Return how far a sampler is ahead of the base, see `leads`."""
        return leads(self.curves[sampler], self.curves[self.base], axis)

    def common(self, axis: str) -> tuple[int, ...]:
        """Return the k that samplers are compared at, see `common`."""
        return common({sampler: self.leads(sampler, axis) for sampler in self.others})

    def in_their_metric(self, sampler: str, k: int, langs: Sequence[str]) -> float | None:
        """Return our mean over languages in the paper's metric; None where that is ours too, or it has none."""
        theirs = lauscher.metric(self.task)
        if theirs in ("", self.results[0].metric):
            return None
        total = 0.0
        for lang in langs:
            draws: dict[int, list[float]] = {}
            for r in distinct([r for r in self.results if r.lang == lang and r.k == k and r.sampler in (sampler, "")]):
                draws.setdefault(r.shot_set, []).append(r.metrics[theirs])
            total += sum(sum(seeds) / len(seeds) for seeds in draws.values()) / len(draws)
        return total / len(langs)


def findings(results: Sequence[Result], rates: Rates) -> TaskFindings:
    """Gather the results of one task and encoder, with every sampler and k in each language."""
    samplers = list(dict.fromkeys(result.sampler for result in results if result.k)) or [""]
    found: dict[str, list[Curve]] = {sampler: [] for sampler in samplers}
    for lang in dict.fromkeys(result.lang for result in results):
        theirs = (result for result in results if result.lang == lang)
        rows = sorted(theirs, key=lambda one: samplers.index(one.sampler) if one.k else -1)
        mine = curves(rows, rates, group=lang)
        for sampler, curve in zip(samplers, mine, strict=True):
            found[sampler].append(curve)
    means = {sampler: mean_curve(each, sampler or "zero-shot") for sampler, each in found.items()}
    return TaskFindings(results[0].task, found, means, results)


def by_language(results: Sequence[Result], rates: Rates) -> dict[str, list[Curve]]:
    """Return the curves of each task and language, named by both."""
    parts: dict[str, list[Result]] = {}
    for result in results:
        parts.setdefault(f"{result.task} {result.lang}", []).append(result)
    return {name: curves(part, rates, group=name) for name, part in parts.items()}


def best(leads_over: Mapping[str, Lead | None], base: str) -> tuple[str, str, Lead] | None:
    """Return the best sampler, the second best, and how far the first is ahead; None where none can be compared.

    Between two samplers other than the base the half-width is that of a difference of independent leads; since both
    are over the base, it is rather too wide.
    """
    known = {sampler: lead for sampler, lead in leads_over.items() if lead}
    if not known:
        return None
    first, second, *_ = sorted({base: Lead(0.0, 0.0), **known}.items(), key=lambda pair: -pair[1].points)
    half = float(np.hypot(first[1].half, second[1].half))
    return first[0], second[0], Lead(first[1].points - second[1].points, half)
