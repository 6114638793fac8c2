"""A report of plain tables: one self-contained HTML file, and the same tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.table import Table

from fewshot.corpora.files import write_text


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Args:
        title: above it.
        columns: headings; the first column is that of names.
        rows: as many texts each as there are columns.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Page:
    """What a report shows.

    Args:
        title: heading.
        headline: what was found, or done, in one sentence.
        grids: the tables.
        notes: what a reader must know.
        facts: what was run on what, by heading and name.
        command: repeats what was run.
    """

    title: str
    headline: str
    grids: Sequence[Grid]
    notes: Sequence[str]
    facts: Mapping[str, Mapping[str, str]]
    command: str


def write(page: Page, path: Path) -> None:
    """Write a report.

    Raises:
        CorpusError: when the file cannot be written.
    """
    environment = Environment(
        loader=PackageLoader("fewshot.reports", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    write_text(path, environment.get_template("page.html.jinja").render(page=page))


def terminal(grid: Grid) -> Table:
    """Return a table for the terminal."""
    drawn = Table(title=grid.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for place, column in enumerate(grid.columns):
        drawn.add_column(column, justify="right" if place > 2 else "left", no_wrap=True)
    for row in grid.rows:
        drawn.add_row(*row)
    return drawn
