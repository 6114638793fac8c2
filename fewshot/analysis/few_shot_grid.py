"""Few-shot transfer by sampler, k and language: Lauscher et al. 2020, section 4, Tables 4 and 5, Figures 1 to 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fewshot import tasks
from fewshot.analysis import few_shot_grid_page, lauscher
from fewshot.analysis.leads import AXES, Lead, leads, mean_curve, over_k
from fewshot.costs.rates import Rates
from fewshot.curves.points import Curve, curves, distinct
from fewshot.curves.results import Result
from fewshot.reports.page import Page
from fewshot.reports.report import one_draw
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
    "score is read off the lines of the figures; beyond its last point there is no lead, and means are over the k that "
    "have one. k of QA counts articles.",
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
        """Return how far a sampler is ahead of the base, see `fewshot.analysis.leads.leads`."""
        return leads(self.curves[sampler], self.curves[self.base], axis)

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
        mine = curves([result for result in results if result.lang == lang], rates, group=lang)
        for sampler, curve in zip(samplers, mine, strict=True):
            found[sampler].append(curve)
    means = {sampler: mean_curve(each, sampler or "zero-shot") for sampler, each in found.items()}
    return Table(results[0].task, found, means, results)


def by_language(results: Sequence[Result], rates: Rates) -> list[list[Curve]]:
    """Return the curves of each task and language, named by both."""
    pairs = dict.fromkeys((result.task, result.lang) for result in results)
    return [curves([r for r in results if (r.task, r.lang) == pair], rates, group=" ".join(pair)) for pair in pairs]


def page(results: Sequence[Result], rates: Rates) -> Page:
    """Return the report of a grid.

    Args:
        results: of every part, see `fewshot.experiments.grid`.
        rates: prices of the labels.
    """
    found = [table([r for r in results if r.task == task], rates) for task in dict.fromkeys(r.task for r in results)]
    single = [f"{one.task}: {line}" for one in found for line in one_draw(list(one.means.values()))]
    first = results[0]
    facts = {
        "Runs": {
            "encoder": first.model,
            "method, regime": f"{first.method}, {first.regime}",
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
        notes=[*NOTES, *single],
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


def best(leads_over: Mapping[str, Lead | None], base: str) -> tuple[str, Lead] | None:
    """Return the sampler that is ahead, and by how much: of the base, or if that is ahead, of the next one.

    Args:
        leads_over: the base, by sampler; None where they cannot be compared.
        base: name of the base.

    Returns:
        None where nothing can be compared.
    """
    known = {sampler: lead for sampler, lead in leads_over.items() if lead}
    if not known:
        return None
    first = max(known, key=lambda sampler: known[sampler].points)
    lead = known[first]
    return (first, lead) if lead.points > 0 else (base, Lead(-lead.points, lead.half))


def _winner(one: Table, axis: str) -> str:
    found = best({sampler: over_k(one.leads(sampler, axis)) for sampler in one.others}, one.base)
    if not found:
        return f"{one.task} not comparable"
    sampler, lead = found
    points = [point for name in (sampler, one.base) for point in one.means[name].points if point.k]
    doubt = ", in doubt" if not lead.sure else ", one draw" if any(point.shot_sets == 1 for point in points) else ""
    return f"{one.task} {sampler} (by {lead.points:.1f} ±{lead.half:.1f}{doubt}{_paper(one) if axis == 'k' else ''})"


def _paper(one: Table) -> str:
    """Return the paper's best of our samplers, over the k that it has too."""
    by_sampler = {}
    for sampler in one.others:
        points = [lauscher.lead(one.task, sampler, one.base, k) for k in one.ks if k]
        by_sampler[sampler] = over_k({k: Lead(p, 0) for k, p in enumerate(points) if p is not None})
    found = best(by_sampler, one.base)
    return f"; paper {found[0]} by {found[1].points:.1f}" if found else ""
