"""What a report says of language models: scores beside the encoder's, the bill, refusals, and a doubt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from fewshot.costs.prices import Rates
from fewshot.curves.points import Curve, Point, answering_seconds, asking, distinct
from fewshot.curves.results import Result
from fewshot.progress import duration
from fewshot.reports.page import Section, Table

COLUMNS = (
    "k", "shots", "score", "examples", "refused", "answers", "tokens read", "tokens written", "$", "$ a thousand",
    "time",
)  # fmt: skip

SILVER_COLUMNS = ("k", "shots", "asked", "refused", "kept", "answers", "tokens read", "tokens written", "$", "time")

SILVER_REMARK = (
    "The shots stand in the prompt of the language model, which labels examples of the pool; the encoder is trained on "
    "both, at a weight of {weight:g} for the labels of the language model, which nobody has checked. Kept are legal "
    "annotations, and of these the surest where the server says how sure the model is. A point of the curve costs the "
    "annotation of its shots, the answers, and the training."
)

REMARK = (
    "Every answer is looked at: a row for each word, known labels, a legal tree. What is wrong is said to the model "
    "once, and its second answer counts; an example without a legal one is refused, and all of it is wrong. Tokens are "
    "those that the server counts, time is that of the answers alone. Dollars are those of the tokens, or of computing "
    "where the model runs on this machine and its tokens have no price; an answer that was lost on its way is not in "
    "them."
)


def section(
    results: Sequence[Result], group: str, curves: Sequence[Curve], rates: Rates, kind: str, prompt: str
) -> Section:
    """Return what the language model was asked, and what that cost.

    Args:
        results: of one language model.
        group: of its curves.
        curves: of all that stands beside each other.
        rates: prices.
        kind: what people call the examples.
        prompt: in full.
    """
    rows = tuple(_row(result, rates) for result in distinct(results))
    table = Table(results[0].model, COLUMNS, rows)
    lines = [*beside(curves, group, kind), bill(results, rates)]
    return Section("The language model", lines, tables=[table], texts={"The prompt in full": prompt}, remark=REMARK)


def silver_section(
    results: Sequence[Result], group: str, curves: Sequence[Curve], rates: Rates, kind: str, weight: float
) -> Section:
    """Return what the silver labels of an encoder's teacher were and cost, and what they brought.

    Args:
        results: of the encoder that was taught.
        group: of its curves.
        curves: of all that stands beside each other.
        rates: prices.
        kind: what people call the examples.
        weight: of silver labels, where those of people weigh 1.
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
    brought = [
        f"{point.k} {kind}: {curve.name} {_score(point)}"
        + (f"; without silver labels {_score(other)}" if other else "")
        for point, curve, other in pairs
    ]
    return Section(
        "Silver labels",
        [*brought, *([bill(draws, rates)] if draws else [])],
        tables=[table],
        remark=SILVER_REMARK.format(weight=weight),
    )


def _same_point(curves: Sequence[Curve], group: str, taught: Curve, point: Point) -> Point | None:
    """Return the point of the same shots on the curve of the encoder that was taught nothing."""
    found = (one for curve in curves if curve.group == group and _alike(curve, taught) for one in curve.points)
    return next((one for one in found if one.k == point.k), None)


def _silver_row(result: Result, rates: Rates) -> tuple[str, ...]:
    asked = result.asked
    return (
        str(result.k),
        _shots(result),
        *(f"{asked[name]:,}" for name in ("examples", "refused", "kept", "answers", "input_tokens", "output_tokens")),
        f"{asking(result, rates):.4f}",
        duration(answering_seconds(result)),
    )


def beside(curves: Sequence[Curve], model: str, kind: str) -> list[str]:
    """Return a sentence for each k: what the encoders make of the shots by training, and the model by reading them.

    Args:
        curves: of encoders and of the model, which is the group of its own.
        model: the name of that group.
        kind: what people call the examples.
    """
    mine = [curve for curve in curves if curve.group == model]
    others = [curve for curve in curves if curve.group != model]
    return [
        _beside(curve, point, [other for other in others if _alike(other, curve)] if point.k else others[:1], kind)
        for number, curve in enumerate(mine)
        for point in curve.points
        if point.k or number == 0  # zero-shot is the same on all curves
    ]


def notes(results: Sequence[Result]) -> list[str]:
    """Return what a reader must know of the scores of language models, nothing where there are none."""
    models = ", ".join(dict.fromkeys(result.language_model for result in results if result.language_model))
    if not models:
        return []
    return [
        f"What {models} learned from is not known here: public treebanks and data sets (UD, WikiANN, XNLI and others) "
        "may be in it, test sets too. A score on them may be remembered; text of your own that was never published is "
        "the honest test.",
    ]


def _beside(curve: Curve, point: Point, others: Sequence[Curve], kind: str) -> str:
    scores = [(other, same) for other in others for same in other.points if same.k == point.k]
    if not point.k:
        named = [(curve.group, point), *((other.group, same) for other, same in scores)]
        return f"zero-shot: {'; '.join(f'{name} {_score(same)}' for name, same in named)}"
    trained = "".join(f"; {other.name}, trained on them, {_score(same)}" for other, same in scores)
    return f"{point.k} {kind}: {curve.name}, in its prompt, {_score(point)}{trained}"


def _alike(other: Curve, curve: Curve) -> bool:
    """Return whether the same sampler drew the shots of two curves."""
    return other.name.removeprefix(other.group) == curve.name.removeprefix(curve.group)


def _score(point: Point) -> str:
    return f"{point.score:.1f} [{point.low:.1f}, {point.high:.1f}]"


def _row(result: Result, rates: Rates) -> tuple[str, ...]:
    asked, dollars = result.asked, asking(result, rates)
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
        duration(result.seconds),
    )


def _shots(result: Result) -> str:
    return f"{result.drawn_by}, set {result.shot_set}" if result.k else "none"


def bill(results: Sequence[Result], rates: Rates) -> str:
    """Say in one line what the results of a language model took."""
    results = distinct(results)  # shot sets of the same examples are asked once
    model, asked = results[0].language_model, [result.asked for result in results]
    dollars = sum(asking(result, rates) for result in results)
    read, written, answers, refused, examples = (
        sum(each[name] for each in asked)
        for name in ("input_tokens", "output_tokens", "answers", "refused", "examples")
    )
    mean = fmean(answering_seconds(result) / result.asked["answers"] for result in results)
    return (
        f"{model}: {answers:,} answers for {examples:,} questions, {refused:,} refused; {read:,} tokens read and "
        f"{written:,} written, ${dollars:.2f}, {mean:.1f} s an answer"
    )
