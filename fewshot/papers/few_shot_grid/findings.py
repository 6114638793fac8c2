"""What a grid found of a task: curves by sampler and language, their means, how far samplers are ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fewshot.costs.prices import Rates
from fewshot.curves.points import Curve, curves, distinct
from fewshot.curves.results import Result
from fewshot.papers.statistics.leads import Lead, common, leads, mean_curve
from fewshot.transfer import lauscher


@dataclass(frozen=True)
class TaskFindings:
    """What a grid found of one task.

    Args:
        task: name of the task.
        curves: by sampler, one a language, in the order of the languages.
        means: over the languages, by sampler.
        results: all of the task.
    """

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
        """Return how far a sampler is ahead of the base, see `fewshot.papers.statistics.leads.leads`."""
        return leads(self.curves[sampler], self.curves[self.base], axis)

    def common(self, axis: str) -> tuple[int, ...]:
        """Return the k that samplers are compared at, see `fewshot.papers.statistics.leads.common`."""
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
    """Gather the results of one task.

    Args:
        results: of one task and encoder, with every sampler and k in each language.
    """
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
    """Return the best sampler, the second best, and how far the first of them is ahead of the other.

    Args:
        leads_over: the base, by sampler, at the same k; None where they cannot be compared.
        base: name of the base.

    Returns:
        None where nothing can be compared. Between two samplers other than the base the half-width is that of a
        difference of independent leads; since both are over the base, it is rather too wide.
    """
    known = {sampler: lead for sampler, lead in leads_over.items() if lead}
    if not known:
        return None
    first, second, *_ = sorted({base: Lead(0.0, 0.0), **known}.items(), key=lambda pair: -pair[1].points)
    half = float(np.hypot(first[1].half, second[1].half))
    return first[0], second[0], Lead(first[1].points - second[1].points, half)
