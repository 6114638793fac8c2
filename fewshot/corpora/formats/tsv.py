"""Read tab-separated files whose first line names the columns: pairs (NLI) and documents (topics)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from fewshot.corpora.files import Report, fail, keep, read_rows, write_text
from fewshot.corpora.formats.format import Format
from fewshot.corpora.types import UNANNOTATED, Document, Pair, Record, file_lines
from fewshot.errors import CorpusError

TEXTS = {Pair: ("premise", "hypothesis"), Document: ("text",)}
"""Columns of each kind of example that hold text."""

LABELS, IDS = ("label", "category"), ("id", "index_id")
"""What the other columns may be called; both may be missing."""

SOURCE, MODEL = "label_source", "model"
"""The column that says where a label is from, and what it says where a model has chosen it."""


def read(path: str | Path, report: Report = fail) -> list[Pair] | list[Document]:
    """Read a file of pairs or of documents; the columns say which it is.

    Args:
        path: a UTF-8 file; an empty label or ``_`` where nobody has annotated; further columns are kept. Cells in
            quotes are read as spreadsheets write them. Case and spaces of the columns' names do not matter.
        report: told of each bad line.

    Returns:
        The examples in file order, named by their id or ``<file stem>-<number>``.

    Raises:
        CorpusError: with ``file:line``, for other columns than these, a line with more or fewer, an empty text, a name
            of a column or an id that is used twice.
    """
    path = Path(path)
    header, *rows = _rows(read_rows(path))
    names = [name.strip().lower() for name in _cells(header)]
    kind = next((kind for kind, texts in TEXTS.items() if set(texts) <= set(names)), None)
    if kind is None:
        raise CorpusError("the first line must name the columns: premise, hypothesis, label; or text, label", path, 1)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise CorpusError(f"column {twice[0]!r} is named twice; rename or remove one", path, 1)
    starts = accumulate((row.count("\n") for row in rows), initial=1 + header.count("\n"))
    numbered = zip(starts, rows, strict=False)
    places: dict[str, int] = {}
    examples = list(keep(lambda row: _example(path, kind, header, places, *row), numbered, report))
    if not examples:
        raise CorpusError("no line after the names of the columns", path)
    return examples


def _rows(lines: Sequence[str]) -> list[str]:
    """Return lines, each with the blank lines behind it; blank lines at the beginning belong to the first one."""
    rows: list[str] = []
    for line in lines:
        if rows and (not line.strip() or not rows[-1].strip()):
            rows[-1] += line
        else:
            rows.append(line)
    return rows


def _parts(row: str) -> tuple[str, str, str]:
    """Return what stands before the line of a row, the line, and its line end with the blank lines behind it."""
    lines = row.split("\n")
    place = next((number for number, line in enumerate(lines) if line.strip("\ufeff \t\r")), 0)
    mark = "\ufeff" if lines[place].startswith("\ufeff") else ""
    body = lines[place].removeprefix("\ufeff").rstrip("\r")
    before = "".join(line + "\n" for line in lines[:place]) + mark
    return before, body, row[len(before) + len(body) :]


def _cells(row: str) -> list[str]:
    """Return the cells of a row as they are written, quotes included."""
    return _parts(row)[1].split("\t")


def _value(cell: str) -> str:
    """Return what a cell says: where a spreadsheet has put it in quotes and doubled those within, what is in them.

    A cell in plain quotes stays as it is: spreadsheets put such cells into two pairs of quotes.
    """
    inner = cell[1:-1]
    in_quotes = len(cell) > 1 and cell[0] == cell[-1] == '"' and '"' not in inner.replace('""', "")
    is_quoted = in_quotes and ('""' in inner or "," in inner or not inner)
    return (inner.replace('""', '"') if is_quoted else cell).strip()


def _by_name(header: str, row: str) -> dict[str, str]:
    """Return the cells of a row by the names of their columns, in lower case and without spaces around them."""
    return dict(zip((name.strip().lower() for name in _cells(header)), _cells(row), strict=True))


def _example(path: Path, kind: type, header: str, places: dict[str, int], number: int, line: str) -> Any:
    if (found := len(_cells(line))) != (wanted := len(_cells(header))):
        raise CorpusError(f"{found} columns, but the first line names {wanted}", path, number)
    row = {name: _value(cell) for name, cell in _by_name(header, line).items()}
    texts = [row[column] for column in TEXTS[kind]]
    if not all(texts):
        raise CorpusError(f"empty {TEXTS[kind][texts.index('')]}", path, number)
    label, name = (next((row[n] for n in known if n in row), "") for known in (LABELS, IDS))
    key = name or f"{path.stem}-{number - 1}"
    if places.setdefault(key, number) != number:
        raise CorpusError(f"id {key!r} is that of line {places[key]} too; give each line its own", path, number)
    record, predicted = Record("tsv", (header, line)), ("label",) if row.get(SOURCE) == MODEL else ()
    where = f"{path}:{number}"
    return kind(key, *texts, label=label or UNANNOTATED, record=record, predicted=predicted, where=where)


def write(examples: Iterable[Pair] | Iterable[Document], path: str | Path) -> None:
    """Write the examples, all of one kind, atomically.

    What was read from this format keeps its columns, line ends and blank lines; of other sources, spaces around a text
    are lost when it is read again. Where a model has chosen a label, the column ``label_source`` says ``model``.

    Raises:
        CorpusError: when a text holds a tab or a line end, which this format cannot hold.
    """
    found: list[Any] = list(examples)
    write_text(path, "".join(_lines(found, path)) if found else "")


def _lines(examples: Sequence[Any], path: str | Path) -> Iterator[str]:
    rows = [_row(example, path) for example in examples]
    header, _ = file_lines(examples[0], FORMAT.name) or ("", "")
    names = {name.strip().lower(): name for name in _cells(header)} if header else {}
    names |= {name: name for row in rows for name in row if name not in names}
    end = "\r\n" if "\r\n" in header else "\n"
    yield _written(header, list(names.values())) if header else "\t".join(names) + end
    for place, (example, row) in enumerate(zip(examples, rows, strict=True), start=1):
        cells = [row.get(name, "") for name in names]
        lines = file_lines(example, FORMAT.name)
        written = _written(lines[1], cells) if lines else "\t".join(cells) + end
        yield written if written.endswith("\n") or place == len(rows) else written + end


def _written(line: str, cells: Sequence[str]) -> str:
    """Return a line of a file with other cells: its line end and the blank lines around it stay."""
    before, _, behind = _parts(line)
    return before + "\t".join(cells) + behind


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of an example with another id, where it has one."""
    header, line = record.lines
    names, cells = list(_by_name(header, line)), _cells(line)
    if name := next((name for name in IDS if name in names), None):
        place = names.index(name)
        cells[place] = ids.get(_value(cells[place]), cells[place])
    return Record(record.format, (header, _written(line, cells)))


def _row(example: Pair | Document, path: str | Path) -> dict[str, str]:
    """Return the cells of an example by the names of their columns."""
    row = {"id": example.id} | {text: getattr(example, text) for text in TEXTS[type(example)]} | {"label": UNANNOTATED}
    if lines := file_lines(example, FORMAT.name):
        row = _by_name(*lines)
    elif any(char in cell for cell in row.values() for char in "\t\r\n"):
        raise CorpusError(f"{example.id}: a tab or line end in a text cannot be written as TSV", path)
    column = next((name for name in LABELS if name in row), LABELS[0])
    if example.label != (_value(row.get(column, "")) or UNANNOTATED):
        if any(char in example.label for char in "\t\r\n"):
            raise CorpusError(f"{example.id}: a tab or line end in a label cannot be written as TSV", path)
        row[column] = example.label
    if example.predicted or row.get(SOURCE) == MODEL:
        row[SOURCE] = MODEL if example.predicted else ""
    return row


FORMAT = Format(
    name="tsv",
    title="tab-separated columns",
    rank=5,
    suffixes=(".tsv",),
    holds={Pair.kind: Pair.columns, Document.kind: Document.columns},
    read=lambda path, how: read(path, how.report),
    write=lambda examples, path, columns: write(examples, path),
    rename=rename,
)
