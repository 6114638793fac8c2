"""``fewshot transfer``: what to expect of a language that nobody has annotated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.analyze.base import ScoresFile, SourceLanguage
from fewshot.cli.base import Lang, TaskName, app, command, console

if TYPE_CHECKING:
    from fewshot.papers.transfer.prediction import Prediction
    from fewshot.reports.page import Table


@command(app)
def transfer(
    lang: Lang,
    task: TaskName = "pos",
    model: Annotated[str, typer.Option(help="mbert, xlm-r, mini, or an encoder of --scores.")] = "mbert",
    scores: ScoresFile = None,
    source: SourceLanguage = "en",
) -> None:
    """Predict what a language will score that nobody has annotated, and what k sentences will bring."""
    from fewshot import tasks
    from fewshot.papers.published.scores import load
    from fewshot.papers.transfer.prediction import predict
    from fewshot.reports.page import terminal

    screen = console()
    found = predict(load(scores), lang, tasks.get(task).name, model, source)
    screen.print(terminal(_table(found, lang)))
    for line in _notes(found, lang):
        screen.print(line, soft_wrap=True)


def _table(found: Prediction, lang: str) -> Table:
    """Return a prediction as a table: a row for zero-shot, and one for each k."""
    from fewshot.reports.page import Table

    title = f"{found.sample.task} in {lang}, {found.sample.encoder}"
    rows = [("0", f"{found.score:.1f}", f"±{found.error:.1f}", "", "", str(len(found.sample.langs)))]
    if found.known is not None:
        rows.append(("0, in the data", f"{found.known:.1f}", "", "", "", ""))
    for one in found.gains:
        score = min(max(found.start + one.points, 0.0), 100.0)
        cells = (f"{score:.1f}", _error(one.score_error), f"{one.points:+.1f}", _error(one.error))
        rows.append((str(one.k), *cells, str(one.languages)))
    return Table(title, ("k", "score", "error", "gain", "error", "languages"), tuple(rows))


def _notes(found: Prediction, lang: str) -> list[str]:
    """Return what a reader of a prediction must know."""
    from fewshot.papers.published.languages import SIZE
    from fewshot.papers.transfer.prediction import FEWEST_CURVES

    sample = found.sample
    alike = ", ".join(f"{name} {found.similarities[name]:.2f}" for name in found.features if name != SIZE)
    made = f"from {', '.join(found.features) or 'the mean'}" + (f" ({alike} to {sample.source})" if alike else "")
    lines = [
        f"Zero-shot is predicted {made}; an error is the mean over languages that were left out. "
        f"Guessing the mean of the others errs by {found.mean:.1f}."
    ]
    if found.error >= found.mean:
        lines.append("The prediction is no better than that guess: take it for no more.")
    if found.known is not None:
        lines.append(f"{lang} is in the data; the prediction was made without it, the gains start from its score.")
    if SIZE not in sample.features:
        lines.append(f"How much {lang} {sample.encoder} was pretrained on is not known here; see that it was at all.")
    if not found.gains:
        lines.append(
            f"No gains are predicted: curves of {sample.encoder} on {sample.task} are not known in enough languages; "
            f"take fewshot run to {FEWEST_CURVES} others or more, put its results.jsonl behind that of fewshot "
            "zero-shot, in one file, and give --scores."
        )
    elif found.curves != sample.encoder:
        lines.append(
            f"Gains are those of {found.curves}, since curves of {sample.encoder} are not known; "
            f"nor is how far off they are for {sample.encoder}."
        )
    if found.extrapolated:
        low, high = found.extrapolated.known
        lines.append(
            f"The gains start from {found.start:.1f}, and the languages of the curves from {low:.1f} to {high:.1f}: "
            "they are extrapolated, take them for no more than a guess."
        )
    if found.gains and sample.task == "qa":
        lines.append("k counts articles.")
    return lines


def _error(points: float | None) -> str:
    return "" if points is None else f"±{points:.1f}"
