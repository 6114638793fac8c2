"""The tables and figures of a few-shot grid, as Lauscher et al. 2020 has them, its figures beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from fewshot import tasks
from fewshot.curves.plots import figure
from fewshot.curves.points import Point
from fewshot.papers.published import lauscher
from fewshot.papers.statistics.leads import AXES, Lead, over_k
from fewshot.reports.figures import heat_map
from fewshot.reports.page import Grid
from fewshot.tasks.base import metric_name

if TYPE_CHECKING:
    from fewshot.papers.few_shot_grid.findings import Table

Row = tuple[str, ...]


def grids(one: Table) -> list[Grid]:
    """Return Table 4, Table 5 and, of several samplers, their leads, for one task."""
    heads = ["zero-shot", *(f"k = {k}" for k in one.ks if k)]
    mean = f"{one.task}: mean over {', '.join(one.langs)}, and gain (Table 4)"
    found = [
        Grid(mean, ("sampler", "whose", "metric", *heads), _filled(_means(one))),
        Grid(f"{one.task}: each language (Table 5)", ("language", "sampler", "metric", *heads), _filled(_each(one))),
    ]
    if one.others and len(heads) > 1:
        title = f"{one.task}: lead over {one.base}, in points"
        found.append(Grid(title, ("sampler", "whose", "at equal", *heads[1:], "mean"), tuple(_leads(one))))
    return found


def figures(one: Table) -> dict[str, go.Figure]:
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
        f"{one.task}: gains over zero-shot, mean over languages (Figure 1)": heat_map(means, heads),
        f"{one.task}: gains over zero-shot by language": heat_map(each, heads),
        f"{one.task}: samplers, mean over languages": figure(list(one.means.values()), label, kind),
        f"{one.task}: languages, {one.base} (Figures 2 and 3)": figure(one.curves[one.base], label, kind),
    }


def _means(one: Table) -> list[Row]:
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


def _each(one: Table) -> list[Row]:
    ours, theirs = metric_name(one.results[0].metric), metric_name(lauscher.metric(one.task))
    rows = []
    for place, lang in enumerate(one.langs):
        for name, made in one.curves.items():
            rows.append((lang, name, ours, *(_cell(point) for point in made[place].points)))
            rows.append((lang, name, theirs, *_gains([one.in_their_metric(name, k, [lang]) for k in one.ks])))
        published = [lauscher.per_language(one.task, k).get(lang) for k in one.ks]
        rows.append((lang, f"{lauscher.RANDOM} (paper)", theirs, *_gains(published)))
    return rows


def _leads(one: Table) -> list[Row]:
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
    text = f"{point.score:.1f} [{point.low:.1f}, {point.high:.1f}]"
    return f"{text} {point.gain:+.1f}" if point.k else text


def _gains(scores: Sequence[float | None]) -> list[str]:
    """Return scores, zero-shot first, with their gains; empty where there are none."""
    start = scores[0]
    if start is None:
        return ["" for _ in scores]
    return [f"{start:.1f}", *("" if score is None else f"{score:.1f} {score - start:+.1f}" for score in scores[1:])]


def _lead(lead: Lead | None) -> str:
    return "–" if lead is None else f"{lead.points:+.1f} ±{lead.half:.1f}"
