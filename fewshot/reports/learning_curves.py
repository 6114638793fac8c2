"""The report of learning curves: of one run, of several runs, or of projects of the app."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from math import isnan

from fewshot.costs.prices import Rates
from fewshot.curves.compare import PricedPoint, steps
from fewshot.curves.plots import figure
from fewshot.curves.points import Curve, group_by_draw
from fewshot.curves.results import Result
from fewshot.errors import counted
from fewshot.reports import language_models
from fewshot.reports.page import Page, Section, Table

Rows = Sequence[Mapping[str, str | int]]
"""A table with cells by column."""

FIGURE = "Learning curves"
BANDS = (
    "Bands are 95% intervals; the dotted line is the zero-shot score. Horizontal distances are square roots, ticks are "
    "true values. The thin line is the fitted curve with its 80% band, dashed beyond what was measured."
)
PREDICTIONS = (
    "Predictions combine a power law of the error and one anchored at zero-shot, weighted by their fit, with 80% "
    "intervals over draws of the {kind} and trainings; with few points they rely on published curves of other "
    "languages. The price of a batch is the price of its annotation."
)
STEPS = (
    "Score in {metric}. A dash: no gain. Computing and energy (Wh, including the cooling of a data centre) are for one "
    "training and evaluation, or for the answers of a language model to the test set; a further point is relative to "
    "the previous step."
)
AGREEMENT = (
    "Agreement with gold (the curator's decision, else the labels in the data) and, with Cohen’s kappa, with other "
    "annotators on shared items. Minutes are active time on all items; intervals are 95%, by bootstrap over the {kind}."
)
SCORES = (
    "Each score is the mean over draws of the {kind} (shot sets) and trainings (seeds). Its 95% interval is "
    "Student’s t over the means of the draws, plus the noise of the finite test set (bootstrap over its {kind}); "
    "zero-shot has the latter only. No score was used to choose the number of updates, a checkpoint or the kept model."
)


def make_page(  # noqa: PLR0913
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
        metric: title of the score, for example ``POS accuracy (%)``.
        findings: conclusions, one sentence each, see `fewshot.reports.findings`.
        notes: caveats in addition to the standard explanations.
        prices: a line for each price.
        one_scale: whether all scores share a test set and all prices a currency, so that a front can be drawn.
        people: one row for each annotator, with cells by column; by project.
        shots: ids of the annotated examples, by draw.
        further: commands of the same experiment with a full-size encoder.
        more: sections after those of the curves.
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


def make_run_page(  # noqa: PLR0913
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
    """Return the report of all results of one run, with the arguments of `make_page`.

    ``bill_test`` decides a note about the bill; the report lists the ids of the largest k.
    """
    lang, ks = results[0].lang, sorted({result.k for result in results} - {0})
    return make_page(
        curves,
        title=f"{lang}: {task}, k = {', '.join(str(k) for k in ks or (0,))}",
        headline=headline(curves, lang, kind, metric),
        metric=metric,
        kind=kind,
        findings=findings,
        notes=[test_note(rates, results, bill_test), *caveats(curves), *language_models.contamination_notes(results)],
        facts=facts,
        prices=rate_sources(rates, results),
        shots={  # of the largest k of each draw, see `group_by_draw`
            f"{name}, shot set {result.shot_set}": result.shots
            for name, group in group_by_draw(results).items()
            for result in group
        },
        commands=commands,
        further=further,
        more=more,
    )


def headline(curves: Sequence[Curve], lang: str, kind: str, metric: str) -> str:
    """Return a sentence on gain and price of the first curve, at its smallest k that gains, if any."""
    start, *bought = curves[0].points
    metric = metric.removesuffix(" (%)")
    if not bought and not start.k:
        return f"Without labelled {lang} {kind}, {metric} is {start.score:.1f}."
    gaining = [point for point in bought if point.gain > 0]
    point, sign = start if start.k else (gaining or bought)[0], curves[0].currency
    what = f"{counted(point.k, f'{lang} {kind}')} ({point.tokens:.0f} tokens, {sign}{point.dollars:.2f})"
    if point is start:
        return f"With {what}, {metric} is {point.score:.1f}."
    alone = point.k == 1
    if point.gain <= 0:
        return (
            f"{what} {'does' if alone else 'do'} not help: {metric} goes from {start.score:.1f} to {point.score:.1f}."
        )
    sure = "" if point.low > start.high else " (the intervals overlap)"
    price = point.dollars_per_point
    paid = f": {sign}{price:.3f} a point" if price is not None else ""
    return f"{what} {'lifts' if alone else 'lift'} {metric} from {start.score:.1f} to {point.score:.1f}{sure}{paid}."


def caveats(curves: Sequence[Curve]) -> list[str]:
    """Return notes about the scores and intervals of curves and the drawing of their shots."""
    return [*known_only(curves), *one_draw(curves), *in_rounds(curves)]


def known_only(curves: Sequence[Curve]) -> list[str]:
    """Return the zero-shot score on known labels, for each source model that lacks labels of the test set."""
    starts = dict.fromkeys((curve.group, curve.points[0].known_only) for curve in curves)
    warning = "all other scores count all labels, so do not compare them with this score"
    return [
        f"{group} zero-shot, known labels only: {score:.1f}; {warning}.".strip()
        for group, score in starts
        if score is not None
    ]


def one_draw(curves: Sequence[Curve]) -> list[str]:
    """Return a note about the intervals of curves with a single shot set, if any."""
    names = [curve.name for curve in curves if any(point.k and point.shot_sets == 1 for point in curve.points)]
    noise = "the noise of the test set (and of the seeds if there are several), not of the choice of shots"
    return [f"One shot set of {', '.join(names)}: the intervals include {noise}."] if names else []


def in_rounds(curves: Sequence[Curve]) -> list[str]:
    """Return a note about curves whose shots were drawn in rounds, if any."""
    names = ", ".join(curve.name for curve in curves if curve.rounds[1:])
    rule = "the model of seed 0 trained on the shots of all rounds so far chose the shots of the next round"
    return [f"In rounds: {names}; {rule}."] if names else []


def rate_sources(rates: Rates, results: Sequence[Result]) -> list[str]:
    """Return a line for each price in the bills of one task's results."""
    annotation = rates.label_price(results[0].task)
    line = f"annotation: ${annotation.dollars:g} a {annotation.unit}. {annotation.source}"
    models = dict.fromkeys(result.language_model for result in results if result.language_model)
    tokens = [price for model in models for price in rates.describe_tokens(model)]
    devices = [device for result in results for device in (result.device, result.teacher_device) if device]
    return [line, *rates.describe_computing(dict.fromkeys(devices)), *tokens]


def test_note(rates: Rates, results: Sequence[Result], bill_test: bool) -> str:
    """Return a note about whether the bill includes the labels of the test set."""
    if bill_test:
        unit = rates.label_price(results[0].task).unit
        counts = dict.fromkeys(str(result.test_units[unit]) for result in results)
        return f"Every bill includes the labels of the test set ({', '.join(counts)} {unit}s)."
    return "Bills do not include the labels of the test set; add them with --bill-test if you have to create them."


def further_commands(
    task: str, lang: str, ks: Sequence[int], samplers: Sequence[str], rounds: bool, data: str, meaning: str = ""
) -> list[str]:
    """Return the commands of the same experiment with XLM-R.

    Args:
        meaning: explanation of a placeholder in ``data``; may be empty.
    """
    model = "--model xlm-roberta-base"
    return [
        *([f"# {data}: {meaning}"] if meaning else []),
        f"fewshot source --task {task} {model} --data ENGLISH_DATA",
        f"fewshot run --task {task} --lang {lang} --k {','.join(map(str, ks))} --sampler {','.join(samplers)} {model} "
        f"--data {shlex.quote(data)}{' --rounds' if rounds else ''}",
    ]


def _costs(curve: Curve) -> Table:
    sign = curve.currency
    bill = (f"annotation {sign}", "computing $", "Wh", f"{sign} a point", f"{sign} a further point")
    columns = ("k", "score", "95% interval", "gain", "tokens", "minutes", *bill, "runs")
    return Table(curve.name, columns, tuple(_cost(step) for step in steps(curve)))


def _cost(step: PricedPoint) -> tuple[str, ...]:
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
