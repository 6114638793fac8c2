"""Few-shot transfer by sampler, k and language: Lauscher et al. 2020, section 4, Tables 4 and 5, Figures 1 to 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewshot import tasks
from fewshot.costs.prices import Rates
from fewshot.curves.points import Curve, curves, distinct
from fewshot.curves.results import Result
from fewshot.papers.few_shot_grid import page as few_shot_grid_page
from fewshot.papers.published import lauscher
from fewshot.papers.statistics.leads import AXES, Lead, common, leads, mean_curve, over_k, widening
from fewshot.reports.page import Page
from fewshot.reports.report import in_rounds, one_draw
from fewshot.tasks.base import metric_name

NOTES = (
    "Means are over the languages asked for, without that of the source models. Their 95% intervals hold the noise of "
    "draws, seeds and test sets (Student's t in each language; half-widths add as variances), not that of languages.",
    "The paper's means (mBERT) are over its target languages without English: of random sampling from its Table 5; "
    "others stand as far from random as in its Table 4, whose means of POS, DEP and NER have English among them.",
    "The paper scores dependency trees by UAS and entities by the accuracy of tokens; ours are shown so as well. It "
    "ran each condition once (NLI and QA five times), and has no intervals.",
    "A lead is how far a sampler is ahead of the first one in the mean over languages: with as many sentences (or "
    "whatever k counts), with as many tokens, for as many dollars of annotation. Between its points the first one's "
    "score is read off the lines of the figures; beyond its last point there is no lead. Means are over the k at which "
    "every sampler has a lead, named beside them: they compare samplers at one axis, not one axis with another where "
    "its k are others. k of QA counts articles.",
    "The best sampler is compared with the second best. Of three or more, its interval is wider than those of the "
    "table, since the best was picked (Bonferroni over pairs); between two samplers other than the first one it counts "
    "the noise of that one twice, and is rather too wide.",
)


@dataclass(frozen=True)
class Table:
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


def table(results: Sequence[Result], rates: Rates) -> Table:
    """Gather the results of one task.

    Args:
        results: of one task and encoder, with every sampler and k in each language.
        rates: prices of the labels.
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
    return Table(results[0].task, found, means, results)


def by_language(results: Sequence[Result], rates: Rates) -> dict[str, list[Curve]]:
    """Return the curves of each task and language, named by both."""
    parts: dict[str, list[Result]] = {}
    for result in results:
        parts.setdefault(f"{result.task} {result.lang}", []).append(result)
    return {name: curves(part, rates, group=name) for name, part in parts.items()}


def page(results: Sequence[Result], rates: Rates) -> Page:
    """Return the report of a grid.

    Args:
        results: of every part, see `fewshot.papers.few_shot_grid.study`.
        rates: prices of the labels.
    """
    found = [table([r for r in results if r.task == task], rates) for task in dict.fromkeys(r.task for r in results)]
    means = {one.task: list(one.means.values()) for one in found}
    said = [f"{task}: {line}" for task, each in means.items() for line in (*one_draw(each), *in_rounds(each))]
    first = results[0]
    ways: dict[str, list[str]] = {}
    for one in found:
        ways.setdefault(f"{one.results[0].method}, {one.results[0].regime}", []).append(one.task)
    facts = {
        "Runs": {
            "encoder": first.model,
            "method, regime": "; ".join(f"{way} ({', '.join(names)})" for way, names in ways.items()),
            "shot sets x seeds": " x ".join(
                str(1 + max(getattr(r, of) for r in results)) for of in ("shot_set", "seed")
            ),
            "number": f"{len(results)}, on {first.device}",
        },
        **{
            f"Data of {one.task}": {r.lang: f"{r.data} ({r.test_units['token']} test tokens)" for r in one.results}
            for one in found
        },
    }
    return Page(
        title=f"Few-shot transfer of {first.model}",
        headline=headline(found),
        grids=[grid for one in found for grid in few_shot_grid_page.grids(one)],
        notes=[*NOTES, *said],
        facts=facts,
        figures={title: drawn for one in found for title, drawn in few_shot_grid_page.figures(one).items()},
    )


def headline(found: Sequence[Table]) -> str:
    """Say which sampler is best per sentence, token and dollar, and which one is in the paper."""
    compared = [one for one in found if one.others and len(one.ks) > 1]
    if not compared:
        return f"{'; '.join(_gain(one) for one in found)}."
    said = []
    for axis, unit in AXES.items():
        each = [_winner(one, axis) for one in compared]
        said.append(f"Best per {unit}: {', '.join(each)}.")
    return " ".join(said)


def _gain(one: Table) -> str:
    start, *bought = one.means[one.base].points
    if not bought:
        return f"{one.task} zero-shot {start.score:.1f}"
    point = bought[0]
    gain = lauscher.gain(one.task, one.base, point.k)
    paper = "" if gain is None else f" (paper {gain:+.1f} {metric_name(lauscher.metric(one.task))})"
    kind = tasks.get(one.task).example.kind
    return f"{one.task}: {point.k} {one.base} {kind} bring {point.gain:+.1f} points{paper}"


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


def _winner(one: Table, axis: str) -> str:
    ks = one.common(axis)
    by_sampler = {sampler: over_k(one.leads(sampler, axis), ks) for sampler in one.others}
    found = best(by_sampler, one.base)
    if not found:
        return f"{one.task} not comparable"
    first, second, lead = found
    compared = 1 + sum(lead is not None for lead in by_sampler.values())
    each = [*one.curves[first], *one.curves[second]]
    lead = replace(lead, half=lead.half * widening(compared, each))
    single = any(point.shot_sets == 1 for curve in each for point in curve.points if point.k)
    doubt = ", in doubt" if not lead.sure else ", one draw" if single else ""
    without = "".join(f", {sampler} not comparable" for sampler, lead in by_sampler.items() if not lead)
    paper = _paper(one) if axis == "k" else ""
    return f"{one.task} {first} ({_ahead(ks, second, lead)} ±{lead.half:.1f}{doubt}{without}{paper})"


def _paper(one: Table) -> str:
    """Return the paper's best of our samplers, over the k that it has too."""
    by_sampler = {}
    for sampler in one.others:
        points = {k: lauscher.lead(one.task, sampler, one.base, k) for k in one.ks if k}
        by_sampler[sampler] = {k: None if p is None else Lead(p, 0) for k, p in points.items()}
    ks = common(by_sampler)
    found = best({sampler: over_k(by_k, ks) for sampler, by_k in by_sampler.items()}, one.base)
    return f"; paper {found[0]}, {_ahead(ks, *found[1:])}" if found else ""


def _ahead(ks: Sequence[int], second: str, lead: Lead) -> str:
    return f"at k = {', '.join(map(str, ks))} ahead of {second} by {lead.points:.1f}"
