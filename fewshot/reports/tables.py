"""The points of curves as a table for a paper or a spreadsheet, and their figure as a picture."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from fewshot.corpora.files import write_bytes, write_text
from fewshot.curves.compare import pareto, steps
from fewshot.curves.points import Curve
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
"""``test set``: language, data and what is paid, where these set scores apart; score, interval and gain in percent and
points; ``cost``: annotation and computing; ``front``: whether no other point of the test set is cheaper and better."""

TABLES = (".csv", ".md", ".tex", ".parquet")
PICTURES = (".png", ".svg", ".pdf", ".html")

FORMULA = re.compile(r"[=+\-@\t\r]")
"""How a cell begins that spreadsheets would compute."""

NUMBER = re.compile(r"[+-]?[\d.,]+")

Row = tuple[str, ...]


def check(path: Path, endings: Sequence[str]) -> None:
    """Refuse a file that cannot be written as what its name says.

    Raises:
        FewshotError: naming the endings.
    """
    if path.suffix.lower() not in endings:
        raise FewshotError(
            f"{path}: no way to write {path.suffix or 'this'}; give a name that ends in {', '.join(endings)}"
        )


def write(groups: Mapping[str, Sequence[Curve]], path: Path) -> None:
    """Write the points of curves as CSV, Markdown, LaTeX (booktabs) or Parquet, by the ending of the name.

    Args:
        groups: curves by what they are scored on: those of one test set share a front.
        path: ends in one of `TABLES`.

    Raises:
        FewshotError: for another ending, or when the file cannot be written.
    """
    check(path, TABLES)
    try:
        write_bytes(path, [content(groups, path.suffix.lower())])
    except UnicodeEncodeError as error:
        raise FewshotError(f"{path}: {error.object!a} holds half a character; rename what is called so") from None


def content(groups: Mapping[str, Sequence[Curve]], ending: str) -> bytes:
    """Return what `write` writes to a file of one of the endings `TABLES`."""
    table = pd.DataFrame([row for group, curves in groups.items() for row in rows(group, curves)], columns=[*COLUMNS])
    if ending == ".parquet":
        return _parquet(table)
    return {".csv": _csv, ".md": _markdown, ".tex": _latex}[ending](table).encode()


def rows(group: str, curves: Sequence[Curve]) -> list[Row]:
    """Return a row a point of a group, as `COLUMNS`; empty cells where the currency of the curve has no price."""
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
    """Write a figure as PNG, SVG, PDF or HTML, by the ending of the name.

    Raises:
        FewshotError: for another ending, where kaleido or its browser is missing, or the file cannot be written.
    """
    check(path, PICTURES)
    if path.suffix.lower() == ".html":
        write_text(path, figure.to_html(include_plotlyjs=True, config={"displayModeBar": False}))
        return
    plain = go.Figure(figure).update_layout(paper_bgcolor="white", font={"color": "#222"})
    plain.layout.updatemenus = ()
    try:
        picture = plain.to_image(path.suffix.lower()[1:], width=900, height=560, scale=2)
    except (ImportError, ValueError, RuntimeError) as error:
        raise FewshotError(
            f"{path}: pictures need kaleido and a Chrome ({type(error).__name__}); "
            "pip install 'kaleido>=1', then plotly_get_chrome, or give a name that ends in .html"
        ) from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
    except OSError as error:
        raise FewshotError(f"{path}: cannot be written: {error.strerror}") from None


def shown_as_text(cell: str) -> str:
    """Return a cell that no spreadsheet computes: one that begins as a formula gets an apostrophe, and is text there.

    Numbers stay as they are.
    """
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def _csv(table: pd.DataFrame) -> str:
    return table.map(shown_as_text).to_csv(index=False, lineterminator="\n")


def _markdown(table: pd.DataFrame) -> str:
    lines = [COLUMNS, ("---", "---", *("---:" for _ in COLUMNS[2:])), *table.itertuples(index=False)]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _latex(table: pd.DataFrame) -> str:
    escaped = table.style.format(escape="latex").format_index(escape="latex", axis="columns").hide(axis="index")
    return str(escaped.to_latex(hrules=True, column_format="ll" + "r" * (len(COLUMNS) - 2)))


def _parquet(table: pd.DataFrame) -> bytes:
    """Return the file, whose numbers are numbers; those that a cell lacks are missing."""
    numbers = [name for name in COLUMNS if name not in ("test set", "curve", "currency", "front")]
    file = io.BytesIO()
    table.assign(**{name: pd.to_numeric(table[name]) for name in numbers}).to_parquet(file, index=False)
    return file.getvalue()
