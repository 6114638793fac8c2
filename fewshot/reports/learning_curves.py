"""The report of learning curves: of a run, of several beside each other, of projects of the app."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path

from fewshot.costs.prices import Rates
from fewshot.curves.compare import Step, steps
from fewshot.curves.plots import figure
from fewshot.curves.points import Curve, by_draw
from fewshot.curves.results import Result
from fewshot.reports import language_models, tables
from fewshot.reports.page import Page, Section, Table

Rows = Sequence[Mapping[str, str | int]]
"""A table: cells by column."""

FIGURE = "Learning curves"
BANDS = (
    "Bands are 95% intervals; the dotted line is the zero-shot score. Horizontal distances are square roots, ticks are "
    "true values. The thin line is the fitted curve with its 80% band, dashed beyond what was measured."
)
PREDICTIONS = (
    "Predictions are a power law of the error and one anchored in zero-shot, weighted by their fit, with 80% intervals "
    "over draws of the {kind} and trainings; with few points they lean on what was published of other languages. The "
    "price of a batch is that of annotating it."
)
STEPS = (
    "Score in {metric}. A dash: nothing was gained. Computing and its energy (Wh, the cooling of a data centre "
    "included) are one training and evaluation, of a language model its answers for the test set; a further point "
    "counts from the step before."
)
AGREEMENT = (
    "Agreement with gold (what a curator decided, else the labels that came with the data) and, with Cohen’s kappa, "
    "with others on what they annotated too. Minutes are active ones, of all that was done; intervals are 95%, by "
    "bootstrap over the {kind}."
)
SCORES = (
    "Each score is the mean over draws of the {kind} (shot sets) and trainings (seeds). Its 95% interval is "
    "Student’s t over the means of the draws, and beside it the noise of the finite test set (bootstrap over its "
    "{kind}); zero-shot has the latter alone. No score was used to choose anything: not the number of updates, not a "
    "checkpoint, not the kept model."
)


def page(  # noqa: PLR0913
    curves: Sequence[Curve],
    *,
    title: str,
    headline: str,
    metric: str,
    kind: str,
    findings: Sequence[str],
    notes: Sequence[str],
    facts: Mapping[str, Mapping[str, str]],
    prices: Sequence[str],
    one_scale: bool = True,
    people: Mapping[str, Rows] | None = None,
    shots: Mapping[str, Sequence[str]] | None = None,
    commands: Sequence[str] = (),
    further: Sequence[str] = (),
    more: Sequence[Section] = (),
) -> Page:
    """Return the report of learning curves.

    Args:
        curves: at least one.
        headline: the finding in one sentence, see `headline`.
        metric: title of the score, for example ``POS accuracy (%)``.
        kind: what people call the examples.
        findings: what the curves amount to, a sentence each, see `fewshot.reports.findings`.
        notes: what a reader must know beside the standing explanations.
        facts: what was run on what, by heading and name.
        prices: a line for each price.
        one_scale: whether all scores are on one test set, and all prices mean the same: then a front can be drawn.
        people: a row an annotator, each cell by its column; by project.
        shots: ids of the annotated examples, by draw.
        commands: repeat what was run.
        further: commands of the same experiment with a real encoder.
        more: sections behind those of the curves.
    """
    drawn = figure(curves, metric, kind, ahead=True, front=one_scale)
    annotators = [
        Table(project, tuple(rows[0]), tuple(tuple(str(cell) for cell in row.values()) for row in rows))
        for project, rows in (people or {}).items()
    ]
    sections = [
        Section(figures={FIGURE: drawn}, remark=BANDS),
        Section("What it amounts to", lines=findings, remark=PREDICTIONS.format(kind=kind)),
        Section("What each step costs", tables=[_costs(curve) for curve in curves], remark=STEPS.format(metric=metric)),
        *more,
        Section("Annotators", tables=annotators, remark=AGREEMENT.format(kind=kind)),
    ]
    explained = [SCORES.format(kind=kind), *notes]
    return Page(title, headline, sections, explained, facts, prices, shots or {}, kind, commands, further)


def of_run(  # noqa: PLR0913
    results: Sequence[Result],
    curves: Sequence[Curve],
    *,
    task: str,
    metric: str,
    kind: str,
    rates: Rates,
    bill_test: bool,
    findings: Sequence[str],
    facts: Mapping[str, Mapping[str, str]],
    commands: Sequence[str],
    further: Sequence[str],
    more: Sequence[Section] = (),
) -> Page:
    """Return the report of all ``results`` that the folder of a run holds; what else is given is as in `page`.

    Whether ``bill_test`` labels are in the bill is said in a note, and the ids of the largest k are shown.
    """
    lang, ks = results[0].lang, sorted({result.k for result in results} - {0})
    return page(
        curves,
        title=f"{lang}: {task}, k = {', '.join(str(k) for k in ks or (0,))}",
        headline=headline(curves, lang, kind, metric),
        metric=metric,
        kind=kind,
        findings=findings,
        notes=[test_note(rates, results, bill_test), *doubts(curves), *language_models.notes(results)],
        facts=facts,
        prices=rate_sources(rates, results),
        shots={  # of the largest k of each draw, see `by_draw`
            f"{name}, shot set {result.shot_set}": result.shots
            for name, group in by_draw(results).items()
            for result in group
        },
        commands=commands,
        further=further,
        more=more,
    )


def headline(curves: Sequence[Curve], lang: str, kind: str, metric: str) -> str:
    """Say in one sentence what the first curve's smallest k bought."""
    start, *bought = curves[0].points
    metric = metric.removesuffix(" (%)")
    if not bought and not start.k:
        return f"Without labelled {lang} {kind}, {metric} is {start.score:.1f}."
    point, sign = start if start.k else bought[0], curves[0].currency
    what = f"{point.k} {lang} {kind} ({point.tokens:.0f} tokens, {sign}{point.dollars:.2f})"
    if point is start:
        return f"With {what}, {metric} is {point.score:.1f}."
    if point.gain <= 0:
        return f"{what} do not help: {metric} goes from {start.score:.1f} to {point.score:.1f}."
    sure = "" if point.low > start.high else " (the intervals overlap)"
    price = point.dollars_per_point
    paid = f": {sign}{price:.3f} a point" if price is not None else ""
    return f"{what} lift {metric} from {start.score:.1f} to {point.score:.1f}{sure}{paid}."


def doubts(curves: Sequence[Curve]) -> list[str]:
    """Return what must be known about zero-shot and the intervals of curves, and about how their shots were drawn."""
    return [*known_only(curves), *one_draw(curves), *in_rounds(curves)]


def known_only(curves: Sequence[Curve]) -> list[str]:
    """Return the zero-shot score on known labels only, for each source model that lacks labels of the test set."""
    starts = dict.fromkeys((curve.group, curve.points[0].known_only) for curve in curves)
    said = "every other score counts all labels, so do not compare it with them"
    shown = [(group, score) for group, score in starts if score is not None]
    return [f"{group} zero-shot, known labels only: {score:.1f}; {said}.".strip() for group, score in shown]


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


def rate_sources(rates: Rates, results: Sequence[Result]) -> list[str]:
    """Return a line for each price that the bills of one task's results are made of."""
    annotation = rates.rate(results[0].task)
    line = f"annotation: ${annotation.dollars:g} a {annotation.unit}. {annotation.source}"
    models = dict.fromkeys(result.language_model for result in results if result.language_model)
    tokens = [price for model in models for price in rates.of_model(model)]
    devices = [device for result in results for device in (result.device, result.teacher_device) if device]
    return [line, *rates.computing(dict.fromkeys(devices)), *tokens]


def test_note(rates: Rates, results: Sequence[Result], bill_test: bool) -> str:
    """Return whether the test set's labels are in the bill."""
    if bill_test:
        unit = rates.rate(results[0].task).unit
        counts = dict.fromkeys(str(result.test_units[unit]) for result in results)
        return f"Every bill counts the labels of the test set ({', '.join(counts)} {unit}s) as well."
    return "The labels of the test set are not in the bill; count them with --bill-test if you have to make them."


def further_commands(
    task: str, lang: str, ks: Sequence[int], samplers: Sequence[str], rounds: bool, data: str, meaning: str = ""
) -> list[str]:
    """Return the commands of an experiment with XLM-R.

    Args:
        ks: numbers of shots.
        rounds: whether active samplers draw in rounds.
        data: what ``--data`` is given.
        meaning: what that stands for, where it is to be replaced.
    """
    model = "--model xlm-roberta-base"
    return [
        *([f"# {data}: {meaning}"] if meaning else []),
        f"fewshot source --task {task} {model} --data ENGLISH_DATA",
        f"fewshot run --task {task} --lang {lang} --k {','.join(map(str, ks))} --sampler {','.join(samplers)} {model} "
        f"--data {shlex.quote(data)}{' --rounds' if rounds else ''}",
    ]


def write_curve(page: Page, path: Path) -> None:
    """Write the figure alone, as a page of its own.

    Raises:
        CorpusError: when the file cannot be written.
    """
    tables.draw(page.figures[FIGURE], path)


def _costs(curve: Curve) -> Table:
    sign = curve.currency
    bill = (f"annotation {sign}", "computing $", "Wh", f"{sign} a point", f"{sign} a further point")
    columns = ("k", "score", "95% interval", "gain", "tokens", "minutes", *bill, "runs")
    return Table(curve.name, columns, tuple(_cost(step) for step in steps(curve)))


def _cost(step: Step) -> tuple[str, ...]:
    point = step.point
    return (
        str(point.k),
        f"{point.score:.1f}",
        f"{point.low:.1f} – {point.high:.1f}",
        f"{point.gain:+.1f}" if point.k else "",
        f"{point.tokens:.0f}",
        f"{point.minutes:.0f}",
        f"{point.annotation:.2f}",
        f"{point.compute:.4f}",
        "–" if isnan(point.kwh) else f"{1000 * point.kwh:.2f}",
        *("–" if price is None else f"{price:.3f}" for price in (point.dollars_per_point, step.per_further_point)),
        str(point.runs),
    )
