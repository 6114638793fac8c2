"""``fewshot analyze transfer`` and ``fewshot transfer``: what zero-shot scores go with, and what one to expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from fewshot import tasks
from fewshot.commands.analyze import show
from fewshot.corpora.files import write_text
from fewshot.papers.measuring.measurements import TABLE
from fewshot.papers.published import scores
from fewshot.papers.published.scores import Score
from fewshot.papers.transfer import page as transfer_page
from fewshot.papers.transfer import prediction
from fewshot.papers.transfer import study as transfer
from fewshot.papers.transfer.prediction import FEWEST_CURVES, Prediction
from fewshot.reports import page
from fewshot.reports.page import Table

PUBLISHED = "Lauscher et al. 2020, Table 1 and appendix A; of mini, fewshot zero-shot"


def analyze(file: Path | None, source: str, out: Path, command: str, console: Console) -> None:
    """Correlate zero-shot scores with similarity and size, and write the report.

    Args:
        file: scores of the user; by default the published ones.
        source: language of the source models.
        out: folder of the analysis.
        command: repeats it.
        console: to print to.
    """
    found = transfer.samples(_scores(file), source)
    write_text(out / TABLE, transfer.table(found).to_csv(index=False))
    report = transfer_page.page(found, str(file or PUBLISHED))
    show(replace(report, commands=[command]), out, [TABLE], console)


def predict(lang: str, task: str, model: str, file: Path | None, source: str, console: Console) -> None:
    """Predict the zero-shot score and the gains of a language, with errors.

    Args:
        lang: the language.
        task: name of the task.
        model: name of the encoder, as in the scores.
        file: scores of the user; by default the published ones.
        source: language of the source models.
        console: to print to.
    """
    name = tasks.get(task).name
    found = prediction.predict(_scores(file), lang, name, model, source)
    console.print(page.terminal(grid(found, lang)))
    for line in notes(found, lang):
        console.print(line, soft_wrap=True)


def grid(found: Prediction, lang: str) -> Table:
    """Return a prediction as a table: a row for zero-shot, and one for each k."""
    title = f"{found.sample.task} in {lang}, {found.sample.encoder}"
    rows = [("0", f"{found.score:.1f}", f"±{found.error:.1f}", "", "", str(len(found.sample.langs)))]
    if found.known is not None:
        rows.append(("0, in the data", f"{found.known:.1f}", "", "", "", ""))
    for one in found.gains:
        score = min(max(found.start + one.points, 0.0), 100.0)
        cells = (f"{score:.1f}", _error(one.score_error), f"{one.points:+.1f}", _error(one.error))
        rows.append((str(one.k), *cells, str(one.languages)))
    return Table(title, ("k", "score", "error", "gain", "error", "languages"), tuple(rows))


def notes(found: Prediction, lang: str) -> list[str]:
    """Return what a reader of a prediction must know."""
    sample = found.sample
    alike = ", ".join(f"{name} {found.similarities[name]:.2f}" for name in found.features if name != transfer.SIZE)
    made = f"from {', '.join(found.features) or 'the mean'}" + (f" ({alike} to {sample.source})" if alike else "")
    lines = [
        f"Zero-shot is predicted {made}; an error is the mean over languages that were left out. "
        f"Guessing the mean of the others errs by {found.mean:.1f}."
    ]
    if found.error >= found.mean:
        lines.append("The prediction is no better than that guess: take it for no more.")
    if found.known is not None:
        lines.append(f"{lang} is in the data; the prediction was made without it, the gains start from its score.")
    if transfer.SIZE not in sample.features:
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


def _scores(file: Path | None) -> Sequence[Score]:
    return scores.published() if file is None else scores.read(file)
