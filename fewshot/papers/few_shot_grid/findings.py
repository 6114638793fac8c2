"""Findings of a grid for one task: curves, their means, and the leads between samplers.

A sampler that prefers long sentences may lead for equal sentences and lose for equal tokens, and annotators are paid by
either (Lauscher et al. 2020, sections 4.1 and 4.2, compare equal sentences only). Leads are for equal sentences, tokens
or dollars, in the mean over languages.
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
"""What two samplers have equal: fields of `Point`, and their units. Dollars are those of annotation alone."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The difference of two means in points, and half the width of its 95% interval."""

    points: float
    half: float

    @property
    def is_sure(self) -> bool:
        """Whether the interval excludes 0."""
        return abs(self.points) > self.half


def mean_curve(curves: Sequence[Curve], name: str) -> Curve:
    """Return the unweighted mean of a sampler's curves of several languages, which have the same k.

    The languages are fixed, not a sample: the interval covers the noise of draws, seeds and test sets in each language,
    and not other languages. Half-widths add as variances; the result covers at least 95% (Banerjee 1960).
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
    """Return the lead of a sampler over another sampler at each k > 0, in the mean over languages.

    The score of the other sampler between two of its points is interpolated on the square root of the axis, as in the
    figures (`fewshot.curves.plots`). It is not extrapolated.

    Returns:
        By k; None where in some language the other sampler was not measured so far, or its axis does not rise with k.
    """
    by_k: dict[int, Lead | None] = {}
    for place, point in enumerate(mine[0].points):
        if point.k:
            by_lang = [_lead(curve.points[place], other, axis) for curve, other in zip(mine, base, strict=True)]
            known = [lead for lead in by_lang if lead]
            is_complete = len(known) == len(by_lang)
            points = float(np.mean([lead.points for lead in known])) if is_complete else 0.0
            by_k[point.k] = Lead(points, _pooled([lead.half for lead in known])) if is_complete else None
    return by_k


def common(by_sampler: Mapping[str, Mapping[int, Lead | None]]) -> tuple[int, ...]:
    """Return the k at which each sampler has a lead; samplers without any lead are ignored."""
    known = [{k for k, lead in by_k.items() if lead} for by_k in by_sampler.values()]
    return tuple(sorted(set.intersection(*filter(None, known)))) if any(known) else ()


def over_k(by_k: Mapping[int, Lead | None], ks: Sequence[int]) -> Lead | None:
    """Return the mean lead over some k, or None where a lead is missing or there are no k.

    The half-width of the mean is the mean of the half-widths, since draws are nested.
    """
    known = [lead for k in ks if (lead := by_k.get(k))]
    if not known or len(known) < len(ks):
        return None
    return Lead(float(np.mean([lead.points for lead in known])), float(np.mean([lead.half for lead in known])))


def widening(samplers: int, curves: Sequence[Curve]) -> float:
    """Return the factor that widens the interval of the best sampler's lead (Bonferroni).

    Each pair of samplers gets its share of the 5%. Quantiles are those of Student's t for the curve with fewest draws.
    """
    draws = [
        point.shot_sets if point.shot_sets > 1 else point.runs for curve in curves for point in curve.points if point.k
    ]
    freedom = min((n - 1 for n in draws if n > 1), default=np.inf)  # one run has the noise of its test set alone
    pairs = samplers * (samplers - 1) / 2
    return float(stdtrit(freedom, 1 - 0.025 / pairs) / stdtrit(freedom, 0.975))


def _lead(point: Point, other: Curve, axis: str) -> Lead | None:
    places = [getattr(known, axis) ** 0.5 for known in other.points]
    place = getattr(point, axis) ** 0.5
    if place > places[-1] * (1 + 1e-9) or np.min(np.diff(places)) <= 0:  # a price is a product of floats
        return None
    score = np.interp(place, places, [known.score for known in other.points])
    half = np.interp(place, places, [_half(known) for known in other.points])
    return Lead(float(point.score - score), float(np.hypot(_half(point), half)))


def _half(point: Point) -> float:
    return max(point.high - point.score, point.score - point.low)


def _pooled(halves: Sequence[float]) -> float:
    return float(np.linalg.norm(halves)) / max(len(halves), 1)


@dataclass(frozen=True)
class TaskFindings:
    """The findings of one task: by sampler, the curves of all languages in order, and their mean."""

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
        """The sampler that others are compared with: random, or else the first one."""
        return lauscher.RANDOM if lauscher.RANDOM in self.means else next(iter(self.means))

    @property
    def others(self) -> list[str]:
        """All samplers but the base."""
        return [sampler for sampler in self.means if sampler != self.base]

    def leads(self, sampler: str, axis: str) -> dict[int, Lead | None]:
        """Return the leads of a sampler over the base, see `leads`."""
        return leads(self.curves[sampler], self.curves[self.base], axis)

    def common(self, axis: str) -> tuple[int, ...]:
        """Return the k at which samplers are compared, see `common`."""
        return common({sampler: self.leads(sampler, axis) for sampler in self.others})

    def in_their_metric(self, sampler: str, k: int, langs: Sequence[str]) -> float | None:
        """Return the mean over languages in the paper's metric, or None where the metric is ours or unknown."""
        theirs = lauscher.metric(self.task)
        if theirs in ("", self.results[0].metric):
            return None
        total = 0.0
        for lang in langs:
            draws: dict[int, list[float]] = {}
            drawn = [row for row in self.results if row.lang == lang and row.k == k and row.sampler in (sampler, "")]
            for row in distinct(drawn):
                draws.setdefault(row.shot_set, []).append(row.metrics[theirs])
            total += sum(sum(seeds) / len(seeds) for seeds in draws.values()) / len(draws)
        return total / len(langs)


def collect_findings(results: Sequence[Result], rates: Rates) -> TaskFindings:
    """Return the findings of one task and encoder with every sampler and k in each language."""
    samplers = list(dict.fromkeys(result.sampler for result in results if result.k)) or [""]
    by_sampler: dict[str, list[Curve]] = {sampler: [] for sampler in samplers}
    for lang in dict.fromkeys(result.lang for result in results):
        rows = [result for result in results if result.lang == lang]
        rows.sort(key=lambda result: samplers.index(result.sampler) if result.k else -1)
        for sampler, curve in zip(samplers, curves(rows, rates, group=lang), strict=True):
            by_sampler[sampler].append(curve)
    means = {sampler: mean_curve(of_sampler, sampler or "zero-shot") for sampler, of_sampler in by_sampler.items()}
    return TaskFindings(results[0].task, by_sampler, means, results)


def by_language(results: Sequence[Result], rates: Rates) -> dict[str, list[Curve]]:
    """Return the curves of each task and language."""
    parts: dict[str, list[Result]] = {}
    for result in results:
        parts.setdefault(f"{result.task} {result.lang}", []).append(result)
    return {name: curves(part, rates, group=name) for name, part in parts.items()}


def best(leads_over: Mapping[str, Lead | None], base: str) -> tuple[str, str, Lead] | None:
    """Return the best sampler, the second best and the lead between them, or None without any lead.

    Between two samplers other than the base, the half-width is that of independent leads; since both are over the base,
    it is rather too wide.
    """
    known = {sampler: lead for sampler, lead in leads_over.items() if lead}
    if not known:
        return None
    first, second, *_ = sorted({base: Lead(0.0, 0.0), **known}.items(), key=lambda pair: -pair[1].points)
    half = float(np.hypot(first[1].half, second[1].half))
    return first[0], second[0], Lead(first[1].points - second[1].points, half)
