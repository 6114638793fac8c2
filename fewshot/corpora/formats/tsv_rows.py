"""Rows and cells of tab-separated files, with or without quoted cells as in spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Sequence

IN_QUOTES = re.compile(r'"(?:[^"]|"")*"')
"""A quoted cell, in which quotes are doubled."""

NEEDS_QUOTES = re.compile('[",\t\r\n]')
"""Characters for which Excel quotes a cell; other tools do not quote commas."""


def are_quoted(lines: Sequence[str]) -> bool:
    """Return whether a file quotes its cells where needed, as in CSV.

    All cells with a quote must be quoted cells, and one of these must show that the quotes are not text: quotes, tabs
    or line ends inside quotes; quotes around all cells with a comma, the column names, or a column of several rows.
    """
    if not any('"' in line for line in lines):
        return False
    header, *rows = [cells_of(row, True) for row in rows_of(lines, True)]
    cells = [cell for row in rows for cell in row if cell]
    quoted = [cell for cell in cells if '"' in cell]
    if not all(map(IN_QUOTES.fullmatch, [*quoted, *(name for name in header if '"' in name)])):
        return False
    if any(name.startswith('"') for name in header) or any(re.search('["\t\n]', cell[1:-1]) for cell in quoted):
        return True
    if any("," in cell for cell in quoted) and not any("," in cell for cell in cells if '"' not in cell):
        return True
    columns = ([row[place] for row in rows if place < len(row) and row[place]] for place in range(len(header)))
    return any(len(column) > 1 and all(cell.startswith('"') for cell in column) for column in columns)


def is_closed(text: str) -> bool:
    """Return whether all quoted cells of a row end in it, with doubled quotes inside."""
    return all(IN_QUOTES.fullmatch(cell) for cell in cells_of(text) if '"' in cell)


def rows_of(lines: Sequence[str], is_quoted: bool) -> list[str]:
    """Return the rows, each with the blank lines after it; leading blank lines belong to the first row."""
    rows: list[list[str]] = []
    is_open = is_blank = False
    for line in lines:
        if rows and (is_open or is_blank or _is_blank(line)):
            rows[-1].append(line)
        else:
            rows.append([line])
        is_blank = _is_blank(line) and (is_blank or len(rows[-1]) == 1)
        is_open ^= is_quoted and line.count('"') % 2 == 1
    return ["".join(row) for row in rows]


def names_of(header: str) -> list[str]:
    """Return the column names in lower case; for an unnamed column its number after a space."""
    names = (name.strip().strip('"').strip().lower() for name in cells_of(header))
    return [name or f" {place}" for place, name in enumerate(names)]


def cells_of(row: str, is_quoted: bool = False) -> list[str]:
    """Return the cells of a row as written, including quotes."""
    pieces = _parts(row)[1].split("\t")
    if not is_quoted:
        return pieces
    cells: list[list[str]] = []
    is_open = False
    for piece in pieces:
        if is_open:
            cells[-1].append(piece)
        else:
            cells.append([piece])
        is_open ^= piece.count('"') % 2 == 1
    return ["\t".join(cell) for cell in cells]


def value_of(cell: str, is_quoted: bool) -> str:
    """Return the value of a cell, without surrounding spaces."""
    return (cell[1:-1].replace('""', '"') if is_quoted and IN_QUOTES.fullmatch(cell) else cell).strip()


def cell_of(value: str, is_quoted: bool) -> str:
    """Return the cell of a value."""
    return '"' + value.replace('"', '""') + '"' if is_quoted and NEEDS_QUOTES.search(value) else value


def with_cells(row: str, cells: Sequence[str]) -> str:
    """Return a row with other cells; line end and surrounding blank lines stay."""
    before, _, behind = _parts(row)
    return before + "\t".join(cells) + behind


def _parts(row: str) -> tuple[str, str, str]:
    """Return the text before the line of a row, the line, and its line end with the blank lines after it."""
    lines = row.split("\n")
    places = [place for place, line in enumerate(lines) if not _is_blank(line)] or [0]
    body = "\n".join(lines[places[0] : places[-1] + 1])
    mark = body[: len(body) - len(body.lstrip("\ufeff"))]
    before = "".join(line + "\n" for line in lines[: places[0]]) + mark
    body = body.removeprefix(mark).rstrip("\r")
    return before, body, row[len(before) + len(body) :]


def _is_blank(line: str) -> bool:
    return not line.strip("\ufeff \t\r\n")
