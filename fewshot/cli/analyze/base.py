"""What the commands of the analyses share: options with one meaning, progress, and how a report is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.base import console, progress_bar, typed

if TYPE_CHECKING:
    from fewshot.progress import Report
    from fewshot.reports.page import Page

Say = Callable[[str], None]
"""Prints a lasting line."""

SourceTasks = Annotated[str, typer.Option(help="Tasks that there are source models and data for.")]
ProbeTasks = Annotated[str, typer.Option(help="Tasks to probe with, where there is data.")]
FineTunedTasks = Annotated[str, typer.Option(help="Tasks, where there is data.")]

TargetLangs = Annotated[str, typer.Option(help="Target languages.")]
LANGS = "ar,de,el,es,eu,fi,fr,he,hi,it,ja,kk,ko,ru,sv,sw,th,tr,yo,zh"
SampleLangs = Annotated[str, typer.Option(help="Target languages, e.g. ja,sv.", show_default="those of the sample")]
TrainedLangs = Annotated[str, typer.Option(help="Languages to train on, each by itself.")]
ScoredLangs = Annotated[str, typer.Option(help="Languages to score, where there is data.")]

SampleOrFolders = Annotated[
    list[Path] | None,
    typer.Option("--data", help="Folder of folders such as it_isdt; repeatable.", show_default="sample"),
]
TrainingFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--data", help="Folder of folders such as en_ewt, ja_gsd; repeatable.", show_default="the embedded sample"
    ),
]
ScoresFile = Annotated[
    Path | None,
    typer.Option(help="results.jsonl, or a CSV with columns task, lang, score.", show_default="published scores"),
]
SourceLanguage = Annotated[str, typer.Option(help="Language of the source models.")]

Sentences = Annotated[int, typer.Option(help="Most sentences, or other examples, to train on.")]
TestSentences = Annotated[int, typer.Option(help="Most of them of each test set.")]
Updates = Annotated[int, typer.Option(help="Updates of one fine-tuning.")]
FineTunings = Annotated[int, typer.Option(help="Fine-tunings of each kind.")]
Folder = Annotated[Path, typer.Option(help="Folder of the analysis.")]

REPORT = "report.html"

WIDTH = 160
"""Columns that a table may take; a terminal that has fewer wraps its lines, and nothing is cut."""


def carry_out(analysis: Callable[[Report, Say], Page], out: Path, files: Sequence[str] | None = None) -> None:
    """Carry an analysis out with its progress on the screen, write its report, and print what it found.

    Args:
        analysis: called with what is told how far it is, and with what prints a line; returns the report.
        files: what the folder holds beside the report; by default its measurements.
    """
    from fewshot.papers.measuring.measurements import CELLS, TABLE
    from fewshot.reports.page import terminal, write

    screen = console()

    def say(line: str) -> None:
        screen.print(line, soft_wrap=True)

    with progress_bar(screen, "reading the data") as report:
        page = analysis(report, say)
    write(replace(page, commands=[typed()]), out / REPORT)
    screen.width = max(screen.width, WIDTH)
    for table in page.tables:
        screen.print(terminal(table))
    say(page.headline)
    for name in (REPORT, *((CELLS, TABLE) if files is None else files)):
        say(f"  {out / name}")


def warning(say: Say) -> Say:
    """Return what prints a line as a warning."""
    return lambda line: say(f"warning: {line}")
