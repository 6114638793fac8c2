"""Read and write tab-separated files with column names: pairs (NLI) and documents (topics)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import StringIO
from itertools import accumulate
from pathlib import Path
from typing import Any

from fewshot.corpora.fields import STATUS, UNREAD
from fewshot.corpora.files import Report, fail, keep, read_rows, write_text
from fewshot.corpora.formats.format import Format
from fewshot.corpora.formats.jsonl_shapes import may_be_label
from fewshot.corpora.formats.tsv_rows import (
    are_quoted,
    cell_of,
    cells_of,
    is_closed,
    names_of,
    rows_of,
    value_of,
    with_cells,
)
from fewshot.corpora.types import BEGUN, UNANNOTATED, Document, Pair, Record, file_lines
from fewshot.errors import CorpusError

TEXTS = {Pair: ("premise", "hypothesis"), Document: ("text",)}
"""Text columns of each kind of example."""

LABELS, IDS = ("label", "category"), ("id", "index_id")
"""Names of the label and id columns, both optional."""

OTHER_LABELS = {*UNREAD, "gold"}.difference(LABELS)
"""Names of the label column in other tools."""

DOUBLED = re.compile(r'".*"".*"', re.DOTALL)
"""A cell with quotes around it and doubled quotes inside, as spreadsheets write it."""

QUOTED = ("quoted",)
"""Last entry of the record of an example whose file has quoted cells."""

SOURCE, MODEL = "label_source", "model"
"""The column for the source of a label, and its value for labels of a model."""


def read(path: str | Path, report: Report = fail) -> list[Pair] | list[Document]:
    """Read a file of pairs or of documents, as its column names say.

    An empty label or ``_`` means not annotated; further columns are kept. Quoted cells, see `are_quoted`, may hold tabs
    and line ends. Case and spaces in column names do not matter.

    Raises:
        CorpusError: with ``file:line``, for unknown or repeated column names, a line with more or fewer columns, an
            empty text or a repeated id.
    """
    path = Path(path)
    lines = read_rows(path)
    is_quoted = are_quoted(lines)
    header, *rows = rows_of(lines, is_quoted)
    names = names_of(header)
    kind = next((kind for kind, texts in TEXTS.items() if set(texts) <= set(names)), None)
    if kind is None:
        raise CorpusError(
            "the first line must name the columns, between tabs: premise, hypothesis, label; or text, label", path, 1
        )
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise CorpusError(f"column {twice[0]!r} is named twice; rename or remove one", path, 1)
    if not is_quoted and any(cell.startswith('"') for cell in cells_of(header)):
        place = 1 + next((place for place, line in enumerate(lines) if not is_closed(line)), 0)
        raise CorpusError("a quote inside a cell in quotes; double it, as spreadsheets do, or remove it", path, place)
    starts = accumulate((row.count("\n") for row in rows), initial=1 + header.count("\n"))
    numbered = list(zip(starts, rows, strict=False))
    _refuse_other_labels(path, names, [cells_of(row, is_quoted) for row in rows])
    places: dict[str, int] = {}
    checked = keep(partial(_checked, path, names, is_quoted), numbered, report)
    examples = list(keep(lambda row: _example(path, kind, header, is_quoted, places, *row), checked, report))
    if not examples:
        raise CorpusError("no line after the names of the columns", path)
    return examples


def _refuse_other_labels(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Refuse labels in a column of another name if our own has none: annotation is never skipped silently."""
    filled = [
        name
        for place, name in enumerate(names)
        if (name in LABELS or name.replace(" ", "_") in OTHER_LABELS)
        and any(row[place].strip() not in ("", UNANNOTATED) for row in rows if place < len(row))
    ]
    if filled and not set(LABELS) & set(filled):
        raise CorpusError(
            f"labels are read from the column 'label', not from {filled[0]!r}; rename the column", path, 1
        )


def oddities(examples: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, warning) of quotes that are read as text, and of labels in another column."""
    rows = [(example, _values_by_name(example)) for example in examples if file_lines(example, FORMAT.name)]
    as_text = [(example, row) for example, row in rows if tuple(file_lines(example, FORMAT.name)[2:]) != QUOTED]
    if where := next((example.where for example, row in as_text if any(map(DOUBLED.fullmatch, row.values()))), ""):
        reason = "since another cell has single ones; put all cells with quotes in quotes, as spreadsheets do"
        yield where, f"the quotes around this cell and the doubled ones in it are read as text, {reason}"
    if any(example.label != UNANNOTATED for example, _ in rows):
        return
    names = dict.fromkeys(name for _, row in rows for name in row if may_be_label(name))
    for name in sorted(names):
        if where := next((example.where for example, row in rows if row.get(name, "").strip("_ ")), ""):
            yield where, f"the column {name!r} is not read; where it is the label, name it 'label' and remove others"


def _cells_by_name(header: str, row: str, *mode: str) -> dict[str, str]:
    return dict(zip(names_of(header), cells_of(row, mode == QUOTED), strict=True))


def _checked(path: Path, names: Sequence[str], is_quoted: bool, row: tuple[int, str]) -> tuple[int, str]:
    """Return number and text of a row; refuse one that does not have the columns, or that is their names."""
    number, line = row
    if (size := len(cells_of(line, is_quoted))) != len(names):
        raise CorpusError(f"{size} columns, but the first line names {len(names)}", path, number)
    if names_of(line) == names:
        raise CorpusError("the names of the columns stand here again; remove this line", path, number)
    return row


def _example(
    path: Path, kind: type, header: str, is_quoted: bool, places: dict[str, int], number: int, line: str
) -> Any:
    record = Record("tsv", (header, line, *QUOTED * is_quoted))
    row = {name: value_of(cell, is_quoted) for name, cell in _cells_by_name(*record.lines).items()}
    texts = [row[column] for column in TEXTS[kind]]
    if not all(texts):
        raise CorpusError(f"empty {TEXTS[kind][texts.index('')]}", path, number)
    label, name = (next((row[n] for n in known if n in row), "") for known in (LABELS, IDS))
    key = name or f"{path.stem}-{number - 1}"
    if places.setdefault(key, number) != number:
        raise CorpusError(f"id {key!r} is that of line {places[key]} too; give each line its own", path, number)
    predicted = ("label",) if row.get(SOURCE) == MODEL else ()
    marks = {"predicted": predicted, "begun": row.get(STATUS) == BEGUN}
    return kind(key, *texts, label=label or UNANNOTATED, record=record, **marks, where=f"{path}:{number}")


def write(examples: Iterable[Pair] | Iterable[Document], path: str | Path) -> None:
    """Write the examples, all of one kind.

    Examples of this format keep columns, line ends and blank lines. Predicted labels have ``model`` in the column
    ``label_source``, begun ones ``begun`` in ``label_status``, a column that is not written if all are finished.

    Raises:
        CorpusError: when a text holds a tab or a line end, which this format cannot hold.
    """
    rows: list[Any] = list(examples)
    write_text(path, _text(rows, path) if rows else "")


def _text(examples: Sequence[Any], path: str | Path) -> str:
    header, _, *mode = file_lines(examples[0], FORMAT.name) or ("", "")
    rows = [_values_by_name(example, path) for example in examples]
    text = "".join(_lines(examples, rows, header, bool(mode)))
    if not mode and are_quoted(list(StringIO(text, newline="\n"))):  # quotes would be lost when read again
        text = "".join(_lines(examples, rows, header, True))
    return text


def _lines(examples: Sequence[Any], rows: Sequence[dict[str, str]], header: str, is_quoted: bool) -> Iterator[str]:
    names = dict(zip(names_of(header), cells_of(header, is_quoted), strict=True)) if header else {}
    names |= {name: name for row in rows for name in row if name not in names}
    if not any(row.get(STATUS) for row in rows):
        names.pop(STATUS, None)
    end = "\r\n" if "\r\n" in header else "\n"
    yield with_cells(header, list(names.values())) if header else "\t".join(names) + end
    for place, (example, row) in enumerate(zip(examples, rows, strict=True), start=1):
        lines = file_lines(example, FORMAT.name)
        before = _cells_by_name(*lines) if lines else {}
        was_quoted = tuple(lines[2:]) == QUOTED
        cells = [
            before[name]
            if name in before and was_quoted == is_quoted and value_of(before[name], was_quoted) == row[name]
            else cell_of(row.get(name, ""), is_quoted)
            for name in names
        ]
        written = with_cells(lines[1], cells) if lines else "\t".join(cells) + end
        yield written if written.endswith("\n") or place == len(rows) else written + end


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of an example with its id replaced, if it has one."""
    header, line, *mode = record.lines
    is_quoted = bool(mode)
    names, cells = names_of(header), cells_of(line, is_quoted)
    if name := next((name for name in IDS if name in names), None):
        place = names.index(name)
        old = value_of(cells[place], is_quoted)
        cells[place] = cell_of(ids[old], is_quoted) if old in ids else cells[place]
    return Record(record.format, (header, with_cells(line, cells), *mode))


def _values_by_name(example: Pair | Document, path: str | Path = "") -> dict[str, str]:
    row = {"id": example.id} | {text: getattr(example, text) for text in TEXTS[type(example)]} | {"label": UNANNOTATED}
    if lines := file_lines(example, FORMAT.name):
        is_quoted = tuple(lines[2:]) == QUOTED
        row = {name: value_of(cell, is_quoted) for name, cell in _cells_by_name(*lines).items()}
    elif any(char in cell for cell in row.values() for char in "\t\r\n"):
        raise CorpusError(f"{example.id}: a tab or line end in a text cannot be written as TSV", path)
    column = next((name for name in LABELS if name in row), LABELS[0])
    if example.label != (row.get(column) or UNANNOTATED):
        if any(char in example.label for char in "\t\r\n"):
            raise CorpusError(f"{example.id}: a tab or line end in a label cannot be written as TSV", path)
        row[column] = example.label
    if example.predicted or row.get(SOURCE) == MODEL:
        row[SOURCE] = MODEL if example.predicted else ""
    if example.begun or row.get(STATUS) == BEGUN:
        row[STATUS] = BEGUN if example.begun else ""
    return row


FORMAT = Format(
    name="tsv",
    title="tab-separated columns",
    rank=5,
    suffixes=(".tsv",),
    holds={Pair.kind: Pair.columns, Document.kind: Document.columns},
    read=lambda path, options: read(path, options.report),
    write=lambda examples, path, columns: write(examples, path),
    rename=rename,
)
