"""Shared parts of commands that write a report: common options, progress and output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from fewshot.cli.common.base import command_line, console
from fewshot.cli.common.progress import progress_bar

if TYPE_CHECKING:
    from rich.console import Console

    from fewshot.progress import Report
    from fewshot.reports.page import Page
    from fewshot.reports.page import Table as PageTable

Say = Callable[[str], None]
"""Prints a line that stays on the screen."""

SampleLangs = Annotated[str, typer.Option(help="Target languages, e.g. ja,sw.", show_default="those of the sample")]
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

MIN_WIDTH = 160
"""Minimum columns for tables; a narrower terminal wraps their lines instead of cutting cells."""


def run_analysis(analysis: Callable[[Report, Say], Page], out: Path, files: Sequence[str]) -> None:
    """Run an analysis with a progress display, write its report, and print tables and headline.

    Args:
        analysis: takes the functions to report progress to and to print lines; returns the report.
    """
    from fewshot.reports.page import write

    screen = console()

    def say(line: str) -> None:
        screen.print(line, soft_wrap=True)

    with progress_bar(screen, "reading the data") as report:
        page = analysis(report, say)
    write(replace(page, commands=[command_line()]), out / REPORT)
    for table in page.tables:
        print_table(screen, table)
    say(page.headline)
    for name in (REPORT, *files):
        say(f"  {out / name}")


def print_table(screen: Console, table: PageTable) -> None:
    """Print a table of a report; no cell is cut."""
    from fewshot.reports.page import render_table

    screen.print(render_table(table), width=max(screen.width, MIN_WIDTH))


def as_warning(say: Say) -> Say:
    """Return a function that prints lines as warnings."""
    return lambda line: say(f"warning: {line}")


def held_out_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of scores on held-out text, with a row for each text."""
    table = Table("held out", box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(*row)
    return table
