"""``fewshot analyze``: carry an analysis out, show what it found, say where the report lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from fewshot.papers.measuring.measurements import CELLS, TABLE
from fewshot.reports import page
from fewshot.reports.page import Page

REPORT = "report.html"

WIDTH = 160
"""Columns that a table may take; a terminal that has fewer wraps its lines, and nothing is cut."""

Analysis = Callable[[Callable[[str], None], Callable[[str], None]], Page]
"""Does it all; called with what shows a passing line (what is being done) and what prints a lasting one (a warning)."""


def analyze(
    analysis: Analysis, out: Path, command: str, console: Console, files: Sequence[str] = (CELLS, TABLE)
) -> None:
    """Carry an analysis out with its progress on the screen, and show what it found.

    Args:
        analysis: to carry out; its measurements go to ``out``.
        out: folder of the analysis.
        command: repeats it.
        console: to print to.
        files: what the folder holds beside the report.
    """

    def say(line: str) -> None:
        console.print(line, soft_wrap=True)

    with console.status("reading the data") as status:
        found = analysis(status.update, say)
    show(replace(found, commands=[command]), out, files, console)


def warning(say: Callable[[str], None]) -> Callable[[str], None]:
    """Return what prints a line as a warning."""
    return lambda line: say(f"warning: {line}")


def show(found: Page, out: Path, files: Sequence[str], console: Console) -> None:
    """Write the report of an analysis and print its headline and tables, and where the files lie.

    Args:
        found: the report.
        out: folder of the analysis.
        files: names of other files there.
        console: to print to.
    """
    page.write(found, out / REPORT)
    console.width = max(console.width, WIDTH)
    for grid in found.tables:
        console.print(page.terminal(grid))
    console.print(found.headline, soft_wrap=True)
    for name in (REPORT, *files):
        console.print(f"  {out / name}", soft_wrap=True)
