"""The report of a few-shot grid: tables and figures as in Lauscher et al. 2020, with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go

from fewshot import tasks
from fewshot.costs.prices import Rates
from fewshot.curves.plots import figure
from fewshot.curves.points import Point
from fewshot.curves.results import Result
from fewshot.papers.few_shot_grid.findings import (
    AXES,
    Lead,
    TaskFindings,
    best,
    collect_findings,
    common,
    over_k,
    widening,
)
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


def page(results: Sequence[Result], rates: Rates) -> Page:
    """Return the report of the results of all parts of a grid."""
    names = dict.fromkeys(result.task for result in results)
    by_task = [collect_findings([result for result in results if result.task == name], rates) for name in names]
    first = results[0]
    ways: dict[str, list[str]] = {}
    for findings in by_task:
        ways.setdefault(f"{findings.results[0].method}, {findings.results[0].regime}", []).append(findings.task)
    facts = {
        "Runs": {
            "encoder": first.model,
            "method, regime": "; ".join(f"{way} ({', '.join(names)})" for way, names in ways.items()),
            "shot sets x seeds": " x ".join(
                str(1 + max(getattr(result, name) for result in results)) for name in ("shot_set", "seed")
            ),
            "number": f"{len(results)}, on {first.device}",
        }
    }
    for findings in by_task:
        data = {row.lang: f"{row.data} ({row.test_units['token']} test tokens)" for row in findings.results}
        facts[f"Data of {findings.task}"] = data
    warnings = [f"{study.task}: {line}" for study in by_task for line in caveats(list(study.means.values()))]
    return Page(
        title=f"Few-shot transfer of {first.model}",
        headline=headline(by_task),
        sections=figures_and_tables(
            {title: figure for findings in by_task for title, figure in figures(findings).items()},
            [table for findings in by_task for table in tables(findings)],
        ),
        notes=[*NOTES, *warnings],
        facts=facts,
    )


def headline(by_task: Sequence[TaskFindings]) -> str:
    """Return which sampler is best for equal sentences, tokens and dollars, and in the paper."""
    compared = [findings for findings in by_task if findings.others and len(findings.ks) > 1]
    if not compared:
        return f"{'; '.join(map(_gain, by_task))}."
    best_by_unit = {unit: [_winner(findings, axis) for findings in compared] for axis, unit in AXES.items()}
    return " ".join(f"Best per {unit}: {', '.join(winners)}." for unit, winners in best_by_unit.items())


def _gain(findings: TaskFindings) -> str:
    start, *bought = findings.means[findings.base].points
    if not bought:
        return f"{findings.task} zero-shot {start.score:.1f}"
    point = bought[0]
    gain = lauscher.gain(findings.task, findings.base, point.k)
    paper = "" if gain is None else f" (paper {gain:+.1f} {metric_name(lauscher.metric(findings.task))})"
    kind = tasks.get(findings.task).example.kind
    return f"{findings.task}: {point.k} {findings.base} {kind} bring {point.gain:+.1f} points{paper}"


def _winner(findings: TaskFindings, axis: str) -> str:
    ks = findings.common(axis)
    by_sampler = {sampler: over_k(findings.leads(sampler, axis), ks) for sampler in findings.others}
    winner = best(by_sampler, findings.base)
    if not winner:
        return f"{findings.task} not comparable"
    first, second, lead = winner
    compared = 1 + sum(lead is not None for lead in by_sampler.values())
    curves = [*findings.curves[first], *findings.curves[second]]
    lead = replace(lead, half=lead.half * widening(compared, curves))
    is_single = any(point.shot_sets == 1 for curve in curves for point in curve.points if point.k)
    doubt = ", in doubt" if not lead.is_sure else ", one draw" if is_single else ""
    without = "".join(f", {sampler} not comparable" for sampler, lead in by_sampler.items() if not lead)
    paper = _paper(findings) if axis == "k" else ""
    return f"{findings.task} {first} ({_ahead(ks, second, lead)} ±{lead.half:.1f}{doubt}{without}{paper})"


def _paper(findings: TaskFindings) -> str:
    """Return the best of our samplers in the paper, over the k that the paper has too."""
    by_sampler = {}
    for sampler in findings.others:
        points = {k: lauscher.lead(findings.task, sampler, findings.base, k) for k in findings.ks if k}
        by_sampler[sampler] = {k: None if p is None else Lead(p, 0) for k, p in points.items()}
    ks = common(by_sampler)
    winner = best({sampler: over_k(by_k, ks) for sampler, by_k in by_sampler.items()}, findings.base)
    return f"; paper {winner[0]}, {_ahead(ks, *winner[1:])}" if winner else ""


def _ahead(ks: Sequence[int], second: str, lead: Lead) -> str:
    return f"at k = {', '.join(map(str, ks))} ahead of {second} by {lead.points:.1f}"


def tables(findings: TaskFindings) -> list[Table]:
    """Return Table 4, Table 5 and the leads between samplers."""
    task, heads = findings.task, ["zero-shot", *(f"k = {k}" for k in findings.ks if k)]
    mean = f"{task}: mean over {', '.join(findings.langs)}, and gain (Table 4)"
    by_language = f"{task}: each language (Table 5)"
    result = [
        Table(mean, ("sampler", "whose", "metric", *heads), _without_empty(_means(findings))),
        Table(by_language, ("language", "sampler", "metric", *heads), _without_empty(_by_language(findings))),
    ]
    if findings.others and len(heads) > 1:
        title = f"{task}: lead over {findings.base}, in points"
        result.append(Table(title, ("sampler", "whose", "at equal", *heads[1:], "mean"), tuple(_leads(findings))))
    return result


def figures(findings: TaskFindings) -> dict[str, go.Figure]:
    """Return the heat maps of gains (Figure 1) and the curves (Figures 2 and 3), by title."""
    task, ks = tasks.get(findings.task), [k for k in findings.ks if k]
    if not ks:
        return {}
    means: dict[str, Sequence[float | None]] = {
        name: [point.gain for point in curve.points if point.k] for name, curve in findings.means.items()
    }
    for name in findings.means:
        gains = [lauscher.gain(findings.task, name, k) for k in ks]
        if any(gain is not None for gain in gains):
            means[f"{name} (paper, {metric_name(lauscher.metric(findings.task))})"] = gains
    by_lang = {
        f"{lang} {name}": [point.gain for point in curves[place].points if point.k]
        for place, lang in enumerate(findings.langs)
        for name, curves in findings.curves.items()
    }
    title, heads = findings.task, [f"k = {k}" for k in ks]
    label, kind, base = task.score_label, task.example.kind, findings.base
    return {
        f"{title}: gains over zero-shot, mean over languages (Figure 1)": draw_heat_map(means, heads),
        f"{title}: gains over zero-shot by language": draw_heat_map(by_lang, heads),
        f"{title}: samplers, mean over languages": figure(list(findings.means.values()), label, kind),
        f"{title}: languages, {base} (Figures 2 and 3)": figure(findings.curves[base], label, kind),
    }


def _means(findings: TaskFindings) -> list[Row]:
    task, ks, langs = findings.task, findings.ks, findings.langs
    ours, theirs = metric_name(findings.results[0].metric), metric_name(lauscher.metric(task))
    targets = lauscher.per_language(task, 0)
    shared = [lang for lang in langs if lang in targets]
    rows = []
    for name, curve in findings.means.items():
        rows.append((name, "ours", ours, *map(_cell, curve.points)))
        rows.append((name, "ours", theirs, *_gains([findings.in_their_metric(name, k, langs) for k in ks])))
        published = [lauscher.mean(task, name, k) for k in ks]
        rows.append((name, f"paper, {len(targets)} languages", theirs, *_gains(published)))
        if name == lauscher.RANDOM and shared:
            published = [lauscher.mean(task, name, k, shared) for k in ks]
            rows.append((name, f"paper, {', '.join(shared)}", theirs, *_gains(published)))
        bills = (f"{point.tokens:.0f} tokens, ${point.dollars:,.2f}" if point.k else "" for point in curve.points)
        rows.append((name, "bill", "", *bills))
    return rows


def _by_language(findings: TaskFindings) -> list[Row]:
    task, ks = findings.task, findings.ks
    ours, theirs = metric_name(findings.results[0].metric), metric_name(lauscher.metric(task))
    rows = []
    for place, lang in enumerate(findings.langs):
        for name, curves in findings.curves.items():
            rows.append((lang, name, ours, *map(_cell, curves[place].points)))
            rows.append((lang, name, theirs, *_gains([findings.in_their_metric(name, k, [lang]) for k in ks])))
        published = [lauscher.per_language(task, k).get(lang) for k in ks]
        rows.append((lang, f"{lauscher.RANDOM} (paper)", theirs, *_gains(published)))
    return rows


def _leads(findings: TaskFindings) -> list[Row]:
    rows = []
    ks = [k for k in findings.ks if k]
    for name in findings.others:
        for axis, unit in AXES.items():
            leads, shared = findings.leads(name, axis), findings.common(axis)
            mean = over_k(leads, shared)
            over = f"{_lead(mean)} (k = {', '.join(map(str, shared))})" if mean else _lead(None)
            rows.append((name, "ours", f"{unit}s", *(_lead(leads[k]) for k in ks), over))
        published = [lauscher.lead(findings.task, name, findings.base, k) for k in ks]
        if any(points is not None for points in published):
            cells = ("" if points is None else f"{points:+.1f}" for points in published)
            rows.append((name, "paper", f"{AXES['k']}s", *cells, ""))
    return rows


def _without_empty(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(row for row in rows if any(row[3:]))


def _cell(point: Point) -> str:
    text = with_interval(point.score, point.low, point.high)
    return f"{text} {point.gain:+.1f}" if point.k else text


def _gains(scores: Sequence[float | None]) -> list[str]:
    """Return scores, zero-shot first, with their gains; empty texts for missing scores."""
    start = scores[0]
    if start is None:
        return ["" for _ in scores]
    return [f"{start:.1f}", *("" if score is None else f"{score:.1f} {score - start:+.1f}" for score in scores[1:])]


def _lead(lead: Lead | None) -> str:
    return "–" if lead is None else f"{lead.points:+.1f} ±{lead.half:.1f}"
