"""Points of curves as a table for terminal, papers and spreadsheets, and figures as image files."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from rich.table import Table

from fewshot.corpora.files import write_bytes, write_text
from fewshot.curves.compare import pareto, steps
from fewshot.curves.points import Curve, Point
from fewshot.errors import FewshotError

COLUMNS = (
    "test set",
    "curve",
    "k",
    "score",
    "low",
    "high",
    "gain",
    "tokens",
    "minutes",
    "currency",
    "annotation",
    "computing",
    "cost",
    "cost/point",
    "cost/further point",
    "front",
)
"""Columns of a table of points.

``test set`` names the group of curves that share a test set; score, interval and gain are in percent and points;
``cost`` is annotation plus computing; ``front`` marks points that no cheaper point of the group beats.
"""

TABLE_SUFFIXES = (".csv", ".md", ".tex", ".parquet")
PICTURE_SUFFIXES = (".png", ".svg", ".pdf", ".html")

FORMULA_START = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""Start of a cell that a spreadsheet would evaluate as a formula, also of the wide signs of East Asian scripts."""

NUMBER = re.compile(r"[+-]?[\d.,]+")

Row = tuple[str, ...]


def terminal_table(curves: Sequence[Curve], metric_label: str) -> Table:
    """Return a table with one row for each point; a zero-shot point that curves share is shown once."""
    drawn = Table(title=metric_label, title_justify="left", title_style="bold", box=None, pad_edge=False)
    drawn.add_column("", overflow="fold")  # long names wrap, so that no number is cut
    for name in ("k", "score", "95%", "gain", "tokens", "$", "$/point"):
        drawn.add_column(name, justify="right", no_wrap=True)
    several = len({curve.group for curve in curves}) > 1
    seen: set[tuple[str, float]] = set()
    for curve in curves:
        for point in curve.points:
            if point.k == 0:
                if (curve.group, point.score) in seen:
                    continue
                seen.add((curve.group, point.score))
            start = f"{curve.group} zero-shot" if several else "zero-shot"
            drawn.add_row(curve.name if point.k else start, *_terminal_cells(point))
    return drawn


def _terminal_cells(point: Point) -> list[str]:
    interval = f"[{point.low:.1f}, {point.high:.1f}]"
    if not point.k:
        return ["0", f"{point.score:.1f}", interval, "", "0", "", ""]
    price = point.dollars_per_point
    return [
        str(point.k),
        f"{point.score:.1f}",
        interval,
        f"{point.gain:+.1f}",
        f"{point.tokens:.0f}",
        f"{point.dollars:.2f}",
        "–" if price is None else f"{price:.3f}",
    ]


def check_suffix(path: Path, endings: Sequence[str]) -> None:
    """Raise an error if the suffix of a file is not one of some formats.

    Raises:
        FewshotError: with the valid suffixes.
    """
    if path.suffix.lower() not in endings:
        raise FewshotError(
            f"{path}: cannot write {path.suffix or 'a file without a suffix'}; give a name that ends in "
            f"{', '.join(endings)}"
        )


def write(groups: Mapping[str, Sequence[Curve]], path: Path) -> None:
    """Write the points of curves as CSV, Markdown, LaTeX (booktabs) or Parquet, by the suffix of the file.

    Args:
        groups: curves by test set; the curves of a group share a front.

    Raises:
        FewshotError: for another suffix, or when the file cannot be written.
    """
    check_suffix(path, TABLE_SUFFIXES)
    try:
        write_bytes(path, [render(groups, path.suffix.lower())])
    except UnicodeEncodeError as error:
        raise FewshotError(f"{path}: {error.object!a} is not valid Unicode text; use another name") from None


def render(groups: Mapping[str, Sequence[Curve]], ending: str) -> bytes:
    """Return the contents of a table file with a suffix of `TABLE_SUFFIXES`."""
    table = pd.DataFrame([row for group, curves in groups.items() for row in rows(group, curves)], columns=[*COLUMNS])
    if ending == ".parquet":
        return _parquet(table)
    return {".csv": _csv, ".md": _markdown, ".tex": _latex}[ending](table).encode()


def rows(group: str, curves: Sequence[Curve]) -> list[Row]:
    """Return one row for each point of a group, with `COLUMNS`; prices in other currencies are left empty."""
    best = {(curve.name, point.k) for curve, point in pareto(curves)}
    return [
        (
            group,
            curve.name,
            str(point.k),
            *(f"{value:.2f}" for value in (point.score, point.low, point.high, point.gain)),
            *(f"{value:.0f}" for value in (point.tokens, point.minutes)),
            curve.currency,
            f"{point.annotation:.2f}",
            f"{point.compute:.4f}" if curve.currency == "$" else "",  # is priced in dollars
            f"{point.dollars:.2f}",
            *("" if value is None else f"{value:.3f}" for value in (point.dollars_per_point, step.per_further_point)),
            "yes" if (curve.name, point.k) in best else "",
        )
        for curve in curves
        for step in steps(curve)
        for point in [step.point]
    ]


def draw(figure: go.Figure, path: Path) -> None:
    """Write a figure as PNG, SVG, PDF or HTML, by the suffix of the file.

    Raises:
        FewshotError: for another suffix, without kaleido or its browser, or when the file cannot be written.
    """
    check_suffix(path, PICTURE_SUFFIXES)
    if path.suffix.lower() == ".html":
        write_text(path, figure.to_html(include_plotlyjs=True, config={"displayModeBar": False}))
        return
    plain = go.Figure(figure).update_layout(paper_bgcolor="white", font={"color": "#222"})
    plain.layout.updatemenus = ()
    try:
        picture = plain.to_image(path.suffix.lower()[1:], width=900, height=560, scale=2)
    except (ImportError, ValueError, RuntimeError) as error:
        raise FewshotError(
            f"{path}: image files need kaleido and Chrome ({type(error).__name__}); "
            "run pip install 'kaleido>=1', then plotly_get_chrome, or give a name that ends in .html"
        ) from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
    except OSError as error:
        raise FewshotError(f"{path}: cannot be written: {error.strerror}") from None


def escape_formula(cell: str) -> str:
    """Prefix a cell with an apostrophe if a spreadsheet would evaluate it; numbers stay unchanged."""
    return f"'{cell}" if FORMULA_START.match(cell) and not NUMBER.fullmatch(cell) else cell


def _csv(table: pd.DataFrame) -> str:
    return table.map(escape_formula).to_csv(index=False, lineterminator="\n")


def _markdown(table: pd.DataFrame) -> str:
    lines = [COLUMNS, ("---", "---", *("---:" for _ in COLUMNS[2:])), *table.itertuples(index=False)]
    return "".join(f"| {' | '.join(map(_markdown_cell, line))} |\n" for line in lines)


def _markdown_cell(cell: str) -> str:
    """Escape what ends a cell or begins HTML."""
    return re.sub(r"([\\|])", r"\\\1", " ".join(cell.split("\n"))).replace("&", "&amp;").replace("<", "&lt;")


def _latex(table: pd.DataFrame) -> str:
    escaped = table.style.format(escape="latex").format_index(escape="latex", axis="columns").hide(axis="index")
    text = str(escaped.to_latex(hrules=True, column_format="ll" + "r" * (len(COLUMNS) - 2)))
    return re.sub(r"(?m)^(?=[\[*])", "{}", text)  # the command before would read these signs as its argument


def _parquet(table: pd.DataFrame) -> bytes:
    """Return the Parquet file, with numeric columns as numbers and empty cells as missing values."""
    numbers = [name for name in COLUMNS if name not in ("test set", "curve", "currency", "front")]
    file = io.BytesIO()
    table.assign(**{name: pd.to_numeric(table[name]) for name in numbers}).to_parquet(file, index=False)
    return file.getvalue()
