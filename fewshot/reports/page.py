"""A report of tables and figures: one self-contained HTML file, and the same tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, StrictUndefined
from plotly.offline import get_plotlyjs
from rich.table import Table

from fewshot.corpora.files import write_text
from fewshot.curves.plots import LOOKS


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
        figures: by title.
        command: repeats what was run.
    """

    title: str
    headline: str
    grids: Sequence[Grid]
    notes: Sequence[str]
    facts: Mapping[str, Mapping[str, str]]
    figures: Mapping[str, go.Figure] = field(default_factory=dict)
    command: str = ""


def styled(figure: go.Figure, x: str, y: str) -> go.Figure:
    """Give a figure the looks of all reports, on light and dark pages.

    Args:
        figure: changed in place.
        x: title of the horizontal axis.
        y: of the vertical one.

    Returns:
        The same figure.
    """
    grid = {"gridcolor": "rgba(128,128,128,.2)", "zeroline": False}
    return figure.update_layout(LOOKS).update_xaxes(title=x, **grid).update_yaxes(title=y, **grid)


def write(page: Page, path: Path) -> None:
    """Write a report.

    Raises:
        CorpusError: when the file cannot be written.
    """
    environment = Environment(
        loader=PackageLoader("fewshot.reports", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    figures = {title: figure.to_json() for title, figure in page.figures.items()}
    plotly = get_plotlyjs() if figures else ""
    write_text(path, environment.get_template("page.html.jinja").render(page=page, figures=figures, plotly=plotly))


def terminal(grid: Grid) -> Table:
    """Return a table for the terminal."""
    drawn = Table(title=grid.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for place, column in enumerate(grid.columns):
        drawn.add_column(column, justify="right" if place > 2 else "left", no_wrap=True)
    for row in grid.rows:
        drawn.add_row(*row)
    return drawn
