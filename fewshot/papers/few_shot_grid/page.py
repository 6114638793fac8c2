"""The report of a few-shot grid: tables and figures as Lauscher et al. 2020 has them, its figures beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from fewshot import tasks
from fewshot.costs.prices import Rates
from fewshot.curves.plots import figure
from fewshot.curves.points import Point
from fewshot.curves.results import Result
from fewshot.papers.few_shot_grid.findings import AXES, Lead, TaskFindings, best, common, findings, over_k, widening
from fewshot.papers.measurements import with_interval
from fewshot.reports.figures import draw_heat_map
from fewshot.reports.learning_curves import caveats
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.tasks.base import metric_name
from fewshot.transfer import lauscher

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

Row = tuple[str, ...]

DRAWN = ("shot_set", "seed")


def page(results: Sequence[Result], rates: Rates) -> Page:
    """Return the report of the results of all parts of a grid."""
    found = [findings([r for r in results if r.task == task], rates) for task in dict.fromkeys(r.task for r in results)]
    means = {one.task: list(one.means.values()) for one in found}
    said = [f"{task}: {line}" for task, each in means.items() for line in caveats(each)]
    first = results[0]
    ways: dict[str, list[str]] = {}
    for one in found:
        ways.setdefault(f"{one.results[0].method}, {one.results[0].regime}", []).append(one.task)
    facts = {
        "Runs": {
            "encoder": first.model,
            "method, regime": "; ".join(f"{way} ({', '.join(names)})" for way, names in ways.items()),
            "shot sets x seeds": " x ".join(str(1 + max(getattr(r, of) for r in results)) for of in DRAWN),
            "number": f"{len(results)}, on {first.device}",
        },
        **{
            f"Data of {one.task}": {r.lang: f"{r.data} ({r.test_units['token']} test tokens)" for r in one.results}
            for one in found
        },
    }
    drawn = {title: figure for one in found for title, figure in figures(one).items()}
    return Page(
        title=f"Few-shot transfer of {first.model}",
        headline=headline(found),
        sections=figures_and_tables(drawn, [table for one in found for table in tables(one)]),
        notes=[*NOTES, *said],
        facts=facts,
    )


def headline(found: Sequence[TaskFindings]) -> str:
    """Say which sampler is best per sentence, token and dollar, and which one is in the paper."""
    compared = [one for one in found if one.others and len(one.ks) > 1]
    if not compared:
        return f"{'; '.join(_gain(one) for one in found)}."
    said = []
    for axis, unit in AXES.items():
        each = [_winner(one, axis) for one in compared]
        said.append(f"Best per {unit}: {', '.join(each)}.")
    return " ".join(said)


def _gain(one: TaskFindings) -> str:
    start, *bought = one.means[one.base].points
    if not bought:
        return f"{one.task} zero-shot {start.score:.1f}"
    point = bought[0]
    gain = lauscher.gain(one.task, one.base, point.k)
    paper = "" if gain is None else f" (paper {gain:+.1f} {metric_name(lauscher.metric(one.task))})"
    kind = tasks.get(one.task).example.kind
    return f"{one.task}: {point.k} {one.base} {kind} bring {point.gain:+.1f} points{paper}"


def _winner(one: TaskFindings, axis: str) -> str:
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


def _paper(one: TaskFindings) -> str:
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


def tables(one: TaskFindings) -> list[Table]:
    """Return Table 4, Table 5 and, of several samplers, their leads, for one task."""
    heads = ["zero-shot", *(f"k = {k}" for k in one.ks if k)]
    mean = f"{one.task}: mean over {', '.join(one.langs)}, and gain (Table 4)"
    found = [
        Table(mean, ("sampler", "whose", "metric", *heads), _filled(_means(one))),
        Table(f"{one.task}: each language (Table 5)", ("language", "sampler", "metric", *heads), _filled(_each(one))),
    ]
    if one.others and len(heads) > 1:
        title = f"{one.task}: lead over {one.base}, in points"
        found.append(Table(title, ("sampler", "whose", "at equal", *heads[1:], "mean"), tuple(_leads(one))))
    return found


def figures(one: TaskFindings) -> dict[str, go.Figure]:
    """Return the heat maps of gains (Figure 1) and the curves (Figures 2 and 3) of one task, by title."""
    bought = [k for k in one.ks if k]
    if not bought:
        return {}
    heads = [f"k = {k}" for k in bought]
    means: dict[str, list[float | None]] = {name: [p.gain for p in c.points if p.k] for name, c in one.means.items()}
    for name in one.means:
        gains = [lauscher.gain(one.task, name, k) for k in bought]
        if any(gain is not None for gain in gains):
            means[f"{name} (paper, {metric_name(lauscher.metric(one.task))})"] = gains
    each: dict[str, list[float | None]] = {
        f"{lang} {name}": [point.gain for point in made[place].points if point.k]
        for place, lang in enumerate(one.langs)
        for name, made in one.curves.items()
    }
    task = tasks.get(one.task)
    label, kind = task.score_label, task.example.kind
    return {
        f"{one.task}: gains over zero-shot, mean over languages (Figure 1)": draw_heat_map(means, heads),
        f"{one.task}: gains over zero-shot by language": draw_heat_map(each, heads),
        f"{one.task}: samplers, mean over languages": figure(list(one.means.values()), label, kind),
        f"{one.task}: languages, {one.base} (Figures 2 and 3)": figure(one.curves[one.base], label, kind),
    }


def _means(one: TaskFindings) -> list[Row]:
    ours, theirs = metric_name(one.results[0].metric), metric_name(lauscher.metric(one.task))
    targets = lauscher.per_language(one.task, 0)
    common = [lang for lang in one.langs if lang in targets]
    rows = []
    for name, curve in one.means.items():
        rows.append((name, "ours", ours, *(_cell(point) for point in curve.points)))
        rows.append((name, "ours", theirs, *_gains([one.in_their_metric(name, k, one.langs) for k in one.ks])))
        published = [lauscher.mean(one.task, name, k) for k in one.ks]
        rows.append((name, f"paper, {len(targets)} languages", theirs, *_gains(published)))
        if name == lauscher.RANDOM and common:
            same = [lauscher.mean(one.task, name, k, common) for k in one.ks]
            rows.append((name, f"paper, {', '.join(common)}", theirs, *_gains(same)))
        bills = (f"{point.tokens:.0f} tokens, ${point.dollars:,.2f}" if point.k else "" for point in curve.points)
        rows.append((name, "bill", "", *bills))
    return rows


def _each(one: TaskFindings) -> list[Row]:
    ours, theirs = metric_name(one.results[0].metric), metric_name(lauscher.metric(one.task))
    rows = []
    for place, lang in enumerate(one.langs):
        for name, made in one.curves.items():
            rows.append((lang, name, ours, *(_cell(point) for point in made[place].points)))
            rows.append((lang, name, theirs, *_gains([one.in_their_metric(name, k, [lang]) for k in one.ks])))
        published = [lauscher.per_language(one.task, k).get(lang) for k in one.ks]
        rows.append((lang, f"{lauscher.RANDOM} (paper)", theirs, *_gains(published)))
    return rows


def _leads(one: TaskFindings) -> list[Row]:
    rows = []
    bought = [k for k in one.ks if k]
    for name in one.others:
        for axis, unit in AXES.items():
            leads, ks = one.leads(name, axis), one.common(axis)
            mean = over_k(leads, ks)
            over = f"{_lead(mean)} (k = {', '.join(map(str, ks))})" if mean else _lead(None)
            rows.append((name, "ours", f"{unit}s", *(_lead(leads[k]) for k in bought), over))
        published = [lauscher.lead(one.task, name, one.base, k) for k in bought]
        if any(points is not None for points in published):
            cells = ("" if points is None else f"{points:+.1f}" for points in published)
            rows.append((name, "paper", f"{AXES['k']}s", *cells, ""))
    return rows


def _filled(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Leave out rows that hold no figure."""
    return tuple(row for row in rows if any(row[3:]))


def _cell(point: Point) -> str:
    text = with_interval(point.score, point.low, point.high)
    return f"{text} {point.gain:+.1f}" if point.k else text


def _gains(scores: Sequence[float | None]) -> list[str]:
    """Return scores, zero-shot first, with their gains; empty where there are none."""
    start = scores[0]
    if start is None:
        return ["" for _ in scores]
    return [f"{start:.1f}", *("" if score is None else f"{score:.1f} {score - start:+.1f}" for score in scores[1:])]


def _lead(lead: Lead | None) -> str:
    return "–" if lead is None else f"{lead.points:+.1f} ±{lead.half:.1f}"
