"""Rows and cells of tab-separated files, some of which have cells in quotes, as spreadsheets write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

IN_QUOTES = re.compile(r'"(?:[^"]|"")*"')
"""A cell in quotes, in which quotes are doubled."""

NEEDS_QUOTES = re.compile('[",\t\r\n]')
"""What Excel puts a cell into quotes for; other tools leave commas as they are."""


def are_quoted(lines: Sequence[str]) -> bool:
    """Return whether the cells of a file are in quotes where they need be, as in CSV.

    Then every cell with a quote in it is one in quotes, and something shows that they are not of the text: there are
    quotes, tabs or line ends within; or all cells with a comma have them; or the names of the columns; or a column of
    several rows.
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
    """Return whether all cells of a row in quotes end there, with quotes in them doubled."""
    return all(IN_QUOTES.fullmatch(cell) for cell in cells_of(text) if '"' in cell)


def rows_of(lines: Sequence[str], is_quoted: bool) -> list[str]:
    """Return rows, each with the blank lines behind it; blank lines at the beginning belong to the first one."""
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
    """Return the names of the columns in lower case; a column without a name has its number behind a space."""
    names = (name.strip().strip('"').strip().lower() for name in cells_of(header))
    return [name or f" {place}" for place, name in enumerate(names)]


def cells_of(row: str, is_quoted: bool = False) -> list[str]:
    """Return the cells of a row as they are written, quotes included."""
    cells: list[str] = []
    is_open = False
    for piece in _parts(row)[1].split("\t"):
        if is_open:
            cells[-1] += f"\t{piece}"
        else:
            cells.append(piece)
        is_open ^= is_quoted and piece.count('"') % 2 == 1
    return cells


def value_of(cell: str, is_quoted: bool) -> str:
    """Return what a cell says, without spaces around it."""
    return (cell[1:-1].replace('""', '"') if is_quoted and IN_QUOTES.fullmatch(cell) else cell).strip()


def cell_of(value: str, is_quoted: bool) -> str:
    """Return a cell that says something."""
    return '"' + value.replace('"', '""') + '"' if is_quoted and NEEDS_QUOTES.search(value) else value


def with_cells(row: str, cells: Sequence[str]) -> str:
    """Return a row with other cells: its line end and the blank lines around it stay."""
    before, _, behind = _parts(row)
    return before + "\t".join(cells) + behind


def _parts(row: str) -> tuple[str, str, str]:
    """Return what stands before the line of a row, the line, and its line end with the blank lines behind it."""
    lines = row.split("\n")
    places = [place for place, line in enumerate(lines) if not _is_blank(line)] or [0]
    body = "\n".join(lines[places[0] : places[-1] + 1])
    mark = "\ufeff" if body.startswith("\ufeff") else ""
    before = "".join(line + "\n" for line in lines[: places[0]]) + mark
    body = body.removeprefix("\ufeff").rstrip("\r")
    return before, body, row[len(before) + len(body) :]


def _is_blank(line: str) -> bool:
    return not line.strip("\ufeff \t\r\n")
