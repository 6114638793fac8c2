"""The part of a report about language models: scores next to the encoder's, bill, refusals, caveats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from fewshot.costs.prices import Rates
from fewshot.curves.points import Curve, Point, answer_dollars, answering_seconds, distinct
from fewshot.curves.results import Result
from fewshot.progress import format_duration
from fewshot.reports.page import Section, Table

COLUMNS = (
    "k", "shots", "score", "examples", "refused", "answers", "tokens read", "tokens written", "$", "$ a thousand",
    "time",
)  # fmt: skip

SILVER_COLUMNS = ("k", "shots", "asked", "refused", "kept", "answers", "tokens read", "tokens written", "$", "time")

SILVER_REMARK = (
    "The language model, with the shots in its prompt, labels examples of the pool; the encoder is trained on both, "
    "with a weight of {weight:g} for the labels of the language model, which no person has checked. Only valid "
    "annotations are kept, and of these the most confident ones if the server reports confidences. The cost of a point "
    "includes the annotation of the shots, the answers, and the training."
)

REMARK = (
    "Every answer is checked: a row for each word, known labels, a valid tree. An invalid answer is returned to the "
    "model once with the error; if the second answer is invalid too, the example is refused and counts as wrong. Token "
    "counts are those of the server, time is that of the answers only. Dollars are those of the tokens, or of "
    "computing if the model runs on this machine and its tokens have no price; an answer that was lost in transfer is "
    "not included."
)


def make_section(
    results: Sequence[Result], group: str, curves: Sequence[Curve], rates: Rates, kind: str, prompt: str
) -> Section:
    """Return the section about a language model: scores, usage and cost."""
    rows = tuple(_row(result, rates) for result in distinct(results))
    table = Table(results[0].model, COLUMNS, rows)
    lines = [*compare_with_encoders(curves, group, kind), describe_bill(results, rates)]
    return Section("The language model", lines, tables=[table], texts={"The prompt in full": prompt}, remark=REMARK)


def make_silver_section(
    results: Sequence[Result], group: str, curves: Sequence[Curve], rates: Rates, kind: str, weight: float
) -> Section:
    """Return the section about silver labels: usage, cost and effect.

    Args:
        weight: weight of silver labels, relative to labels by people.
    """
    first = results[0]
    draws = [result for result in distinct(results) if result.asked and result.seed == 0]
    table = Table(group, SILVER_COLUMNS, tuple(_silver_row(result, rates) for result in draws))
    name = Path(first.model).name
    pairs = [
        (point, curve, _same_point(curves, name, curve, point))
        for curve in curves
        if curve.group == group
        for point in curve.points
        if point.k
    ]
    lines = [
        f"{point.k} {kind}: {curve.name} {_score(point)}"
        + (f"; without silver labels {_score(plain)}" if plain else "")
        for point, curve, plain in pairs
    ]
    return Section(
        "Silver labels",
        [*lines, *([describe_bill(draws, rates)] if draws else [])],
        tables=[table],
        remark=SILVER_REMARK.format(weight=weight),
    )


def _same_point(curves: Sequence[Curve], group: str, taught: Curve, point: Point) -> Point | None:
    """Return the point of the same shots on the curve of the encoder without silver labels."""
    plain = (same for curve in curves if curve.group == group and _same_draw(curve, taught) for same in curve.points)
    return next((same for same in plain if same.k == point.k), None)


def _silver_row(result: Result, rates: Rates) -> tuple[str, ...]:
    asked = result.asked
    return (
        str(result.k),
        _shots(result),
        *(f"{asked[name]:,}" for name in ("examples", "refused", "kept", "answers", "input_tokens", "output_tokens")),
        f"{answer_dollars(result, rates):.4f}",
        format_duration(answering_seconds(result)),
    )


def compare_with_encoders(curves: Sequence[Curve], model: str, kind: str) -> list[str]:
    """Return a sentence for each k that compares trained encoders with the prompted language model.

    Args:
        curves: curves of the encoders and of the language model.
        model: group of the language model's curves.
    """
    own = [curve for curve in curves if curve.group == model]
    encoders = [curve for curve in curves if curve.group != model]
    return [
        _compare(curve, point, [e for e in encoders if _same_draw(e, curve)] if point.k else encoders[:1], kind)
        for number, curve in enumerate(own)
        for point in curve.points
        if point.k or number == 0  # zero-shot is the same on all curves
    ]


def contamination_notes(results: Sequence[Result]) -> list[str]:
    """Return a caveat about unknown training data, if any result is of a language model."""
    models = ", ".join(dict.fromkeys(result.language_model for result in results if result.language_model))
    if not models:
        return []
    return [
        f"The training data of {models} is unknown and may contain public treebanks and data sets (UD, WikiANN, XNLI "
        "and others), test sets included. A score on them may reflect memory; the reliable test is unpublished text "
        "of your own.",
    ]


def _compare(curve: Curve, point: Point, encoders: Sequence[Curve], kind: str) -> str:
    scores = [(encoder, same) for encoder in encoders for same in encoder.points if same.k == point.k]
    if not point.k:
        named = [(curve.group, point), *((encoder.group, same) for encoder, same in scores)]
        return f"zero-shot: {'; '.join(f'{name} {_score(same)}' for name, same in named)}"
    trained = "".join(f"; {encoder.name}, trained on them, {_score(same)}" for encoder, same in scores)
    return f"{point.k} {kind}: {curve.name}, in its prompt, {_score(point)}{trained}"


def _same_draw(first: Curve, second: Curve) -> bool:
    return first.name.removeprefix(first.group) == second.name.removeprefix(second.group)


def _score(point: Point) -> str:
    return f"{point.score:.1f} [{point.low:.1f}, {point.high:.1f}]"


def _row(result: Result, rates: Rates) -> tuple[str, ...]:
    asked, dollars = result.asked, answer_dollars(result, rates)
    return (
        str(result.k),
        _shots(result),
        f"{result.score:.1f} [{result.low:.1f}, {result.high:.1f}]",
        str(asked["examples"]),
        str(asked["refused"]),
        str(asked["answers"]),
        f"{asked['input_tokens']:,}",
        f"{asked['output_tokens']:,}",
        f"{dollars:.4f}",
        f"{1000 * dollars / asked['examples']:.2f}",
        format_duration(result.seconds),
    )


def _shots(result: Result) -> str:
    return f"{result.drawn_by}, set {result.shot_set}" if result.k else "none"


def describe_bill(results: Sequence[Result], rates: Rates) -> str:
    """Return one line about the usage and cost of a language model."""
    results = distinct(results)  # shot sets of the same examples are asked once
    model, asked = results[0].language_model, [result.asked for result in results]
    dollars = sum(answer_dollars(result, rates) for result in results)
    read, written, answers, refused, examples = (
        sum(usage[name] for usage in asked)
        for name in ("input_tokens", "output_tokens", "answers", "refused", "examples")
    )
    mean = fmean(answering_seconds(result) / result.asked["answers"] for result in results)
    return (
        f"{model}: {answers:,} answers for {examples:,} questions, {refused:,} refused; {read:,} tokens read and "
        f"{written:,} written, ${dollars:.2f}, {mean:.1f} s an answer"
    )
