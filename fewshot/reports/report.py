"""The report: one self-contained HTML file that opens without a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from fewshot.corpora.files import write_text
from fewshot.curves.compare import steps
from fewshot.curves.plots import figure
from fewshot.curves.points import Curve


@dataclass(frozen=True, slots=True)
class Report:
    """What a report shows.

    Args:
        title: heading.
        headline: the finding in one sentence, see `headline`.
        curves: the learning curves.
        metric_label: title of the score, for example ``POS accuracy (%)``.
        kind: what people call the examples.
        facts: what was run on what, by heading and name.
        shots: ids of the annotated examples, by draw.
        rate_sources: a line for each price.
        commands: repeat what was run.
        notes: what a reader must know beside the standing explanations.
        further: commands of the same experiment with a real encoder; empty where the run had one.
        findings: what the curves amount to, a sentence each, see `fewshot.reports.findings`.
        one_scale: whether all scores are on one test set, and all prices mean the same: then a front can be drawn.
        people: a row an annotator, each cell by its column; by project.
    """

    title: str
    headline: str
    curves: Sequence[Curve]
    metric_label: str
    kind: str
    facts: Mapping[str, Mapping[str, str]]
    shots: Mapping[str, Sequence[str]]
    rate_sources: Sequence[str]
    commands: Sequence[str]
    notes: Sequence[str]
    further: Sequence[str] = ()
    findings: Sequence[str] = ()
    one_scale: bool = False
    people: Mapping[str, Sequence[Mapping[str, str | int]]] = field(default_factory=dict)


def headline(curves: Sequence[Curve], lang: str, kind: str, metric_label: str) -> str:
    """Say in one sentence what the first curve's smallest k bought.

    Args:
        curves: the first one is spoken of.
        lang: target language.
        kind: what people call the examples.
        metric_label: title of the score.
    """
    start, *bought = curves[0].points
    metric = metric_label.removesuffix(" (%)")
    if not bought:
        return f"Without labelled {lang} {kind}, {metric} is {start.score:.1f}."
    point, sign = bought[0], curves[0].currency
    what = f"{point.k} {lang} {kind} ({point.tokens:.0f} tokens, {sign}{point.dollars:.2f})"
    if point.gain <= 0:
        return f"{what} do not help: {metric} goes from {start.score:.1f} to {point.score:.1f}."
    sure = "" if point.low > start.high else " (the intervals overlap)"
    price = point.dollars_per_point
    paid = f": {sign}{price:.3f} a point" if price is not None else ""
    return f"{what} lift {metric} from {start.score:.1f} to {point.score:.1f}{sure}{paid}."


def one_draw(curves: Sequence[Curve]) -> list[str]:
    """Return what must be known about the intervals of curves with a single shot set, if there are some."""
    names = [curve.name for curve in curves if any(point.k and point.shot_sets == 1 for point in curve.points)]
    noise = "the noise of the test set (and of the seeds, where there are several), not that of drawing others"
    return [f"One shot set of {', '.join(names)}: the intervals hold {noise}."] if names else []


def in_rounds(curves: Sequence[Curve]) -> list[str]:
    """Return how the shots of curves came in rounds, if those of some did."""
    names = ", ".join(curve.name for curve in curves if curve.rounds[1:])
    said = "the model trained on the first shots chose the second ones, that of both the third, and so on"
    return [f"In rounds: {names}; {said} (always the model of seed 0)."] if names else []


def write(report: Report, path: Path) -> None:
    """Write a report.

    Raises:
        CorpusError: when the file cannot be written.
    """
    write_text(path, html(report))


def html(report: Report) -> str:
    """Return a report as a page that needs nothing else."""
    environment = Environment(
        loader=PackageLoader("fewshot.reports", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("report.html.jinja").render(
        report=report,
        tables=[(curve, list(steps(curve))) for curve in report.curves],
        figure=_figure(report).to_json().replace("</", "<\\/"),
        plotly=get_plotlyjs(),
    )


def write_curve(report: Report, path: Path) -> None:
    """Write the figure alone, as a page of its own.

    Raises:
        CorpusError: when the file cannot be written.
    """
    write_text(path, _figure(report).to_html(include_plotlyjs=True, config={"displayModeBar": False}))


def _figure(report: Report) -> go.Figure:
    return figure(report.curves, report.metric_label, report.kind, ahead=True, front=report.one_scale)
