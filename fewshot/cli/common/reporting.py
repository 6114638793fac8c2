"""What commands that write a report share: options with one meaning, progress, and how a report is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.common.base import console, progress_bar, typed

if TYPE_CHECKING:
    from fewshot.progress import Report
    from fewshot.reports.page import Page

Say = Callable[[str], None]
"""Prints a lasting line."""

SampleLangs = Annotated[str, typer.Option(help="Target languages, e.g. ja,sv.", show_default="those of the sample")]
SampleOrFolders = Annotated[
    list[Path] | None,
    typer.Option("--data", help="Folder of folders such as it_isdt; repeatable.", show_default="sample"),
]
ScoresFile = Annotated[
    Path | None,
    typer.Option(help="results.jsonl, or a CSV with columns task, lang, score.", show_default="published scores"),
]
SourceLanguage = Annotated[str, typer.Option(help="Language of the source models.")]

REPORT = "report.html"

WIDTH = 160
"""Columns that a table may take; a terminal that has fewer wraps its lines, and nothing is cut."""


def carry_out(analysis: Callable[[Report, Say], Page], out: Path, files: Sequence[str]) -> None:
    """Carry an analysis out with its progress on the screen, write its report, and print what it found.

    Args:
        analysis: called with what is told how far it is, and with what prints a line; returns the report.
        files: what the folder holds beside the report.
    """
    from fewshot.reports.page import render_table, write

    screen = console()

    def say(line: str) -> None:
        screen.print(line, soft_wrap=True)

    with progress_bar(screen, "reading the data") as report:
        page = analysis(report, say)
    write(replace(page, commands=[typed()]), out / REPORT)
    screen.width = max(screen.width, WIDTH)
    for table in page.tables:
        screen.print(render_table(table))
    say(page.headline)
    for name in (REPORT, *files):
        say(f"  {out / name}")


def warning(say: Say) -> Say:
    """Return what prints a line as a warning."""
    return lambda line: say(f"warning: {line}")
