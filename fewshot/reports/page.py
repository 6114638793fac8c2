"""A report as one self-contained HTML file, and its tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import plotly.graph_objects as go
import rich.table
from jinja2 import Environment, PackageLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from fewshot.corpora.files import write_text


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page between the headline and the notes.

    Args:
        figures: figures by accessible name.
        remark: small print at the end.
    """

    title: str = ""
    lines: Sequence[str] = ()
    figures: Mapping[str, go.Figure] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """The contents of a report.

    Args:
        notes: caveats for the reader.
        prices: a line for each price behind the bills.
        shots: ids of the annotated examples, by draw.
        further: commands of the same experiment with a full-size encoder; empty if the experiment had one.
    """

    title: str
    headline: str
    sections: Sequence[Section]
    notes: Sequence[str]
    facts: Mapping[str, Mapping[str, str]]
    prices: Sequence[str] = ()
    shots: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kind: str = "examples"
    commands: Sequence[str] = ()
    further: Sequence[str] = ()

    @property
    def tables(self) -> list[Table]:
        """The tables of all sections."""
        return [table for section in self.sections for table in section.tables]

    @property
    def figures(self) -> dict[str, go.Figure]:
        """The figures of all sections, by title."""
        return {title: figure for section in self.sections for title, figure in section.figures.items()}


def figures_and_tables(figures: Mapping[str, go.Figure], tables: Sequence[Table]) -> list[Section]:
    """Return a section for each figure, under its title, and one with all tables."""
    return [*(Section(title, figures={title: figure}) for title, figure in figures.items()), Section(tables=tables)]


def write(page: Page, path: Path) -> None:
    """Write a report.

    Raises:
        CorpusError: when the file cannot be written.
    """
    write_text(path, render_html(page))


def render_html(page: Page) -> str:
    """Return a report as a self-contained HTML page."""
    environment = Environment(
        loader=PackageLoader("fewshot.reports", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    figures = [figure.to_json().replace("</", "<\\/") for figure in page.figures.values()]
    plotly = get_plotlyjs() if figures else ""
    return environment.get_template("page.html.jinja").render(page=page, figures=figures, plotly=plotly)


def render_table(table: Table) -> rich.table.Table:
    """Return a table for the terminal."""
    drawn = rich.table.Table(title=table.title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for index, column in enumerate(table.columns):
        drawn.add_column(column, justify="right" if index > 2 else "left", no_wrap=True)
    for row in table.rows:
        drawn.add_row(*row)
    return drawn
