"""Read tab-separated files whose first line names the columns: pairs (NLI) and documents (topics)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fewshot.corpora.files import Report, fail, keep, read_lines, write_text
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
        path: a UTF-8 file: no quoting, an empty label or ``_`` where nobody has annotated; further columns are kept.
        report: told of each bad line.

    Returns:
        The examples in file order, named by their id or ``<file stem>-<number>``.

    Raises:
        CorpusError: with ``file:line``, for other columns than these, a line with more or fewer, an empty text, a name
            of a column or an id that is used twice.
    """
    path = Path(path)
    header, *lines = read_lines(path)
    names = _names(header)
    kind = next((kind for kind, texts in TEXTS.items() if set(texts) <= set(names)), None)
    if kind is None:
        raise CorpusError("the first line must name the columns: premise, hypothesis, label; or text, label", path, 1)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise CorpusError(f"column {twice[0]!r} is named twice; rename or remove one", path, 1)
    rows = ((number, line) for number, line in enumerate(lines, start=2) if line.strip())
    places: dict[str, int] = {}
    examples = list(keep(lambda row: _example(path, kind, header, places, *row), rows, report))
    if not examples:
        raise CorpusError("no line after the names of the columns", path)
    return examples


def _names(header: str) -> list[str]:
    return header.rstrip("\r\n").removeprefix("\ufeff").split("\t")


def _example(path: Path, kind: type, header: str, places: dict[str, int], number: int, line: str) -> Any:
    names, cells = _names(header), line.rstrip("\r\n").split("\t")
    if len(cells) != len(names):
        raise CorpusError(f"{len(cells)} columns, but the first line names {len(names)}", path, number)
    row = dict(zip(names, cells, strict=True))
    texts = [row[column].strip() for column in TEXTS[kind]]
    if not all(texts):
        raise CorpusError(f"empty {TEXTS[kind][texts.index('')]}", path, number)
    label, name = (next((row[n].strip() for n in known if n in row), "") for known in (LABELS, IDS))
    key = name or f"{path.stem}-{number - 1}"
    if places.setdefault(key, number) != number:
        raise CorpusError(f"id {key!r} is that of line {places[key]} too; give each line its own", path, number)
    record, predicted = Record("tsv", (header, line)), ("label",) if row.get(SOURCE, "").strip() == MODEL else ()
    where = f"{path}:{number}"
    return kind(key, *texts, label=label or UNANNOTATED, record=record, predicted=predicted, where=where)


def write(examples: Iterable[Pair] | Iterable[Document], path: str | Path) -> None:
    """Write the examples, all of one kind, atomically.

    What was read from this format keeps its columns and line ends; of other sources, spaces around a text are lost when
    it is read again. Where a model has chosen a label, the column ``label_source`` says ``model``.

    Raises:
        CorpusError: when a text holds a tab or a line end, which this format cannot hold.
    """
    found: list[Any] = list(examples)
    rows = [_row(example, path) for example in found]
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = ["\t".join(names), *("\t".join(row.get(name, "") for name in names) for row in rows)]
    header, _ = (file_lines(found[0], FORMAT.name) if found else ()) or ("\n", "")
    end = "\r\n" if header.endswith("\r\n") else "\n"
    mark = "\ufeff" if header.startswith("\ufeff") else ""
    write_text(path, mark + "".join(line + end for line in lines) if found else "")


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of an example with another id, where it has one."""
    header, line = record.lines
    body = line.rstrip("\r\n")
    names, cells = _names(header), body.split("\t")
    if name := next((name for name in IDS if name in names), None):
        place = names.index(name)
        cells[place] = ids.get(cells[place].strip(), cells[place])
    return Record(record.format, (header, "\t".join(cells) + line[len(body) :]))


def _row(example: Pair | Document, path: str | Path) -> dict[str, str]:
    """Return the cells of an example by the names of their columns."""
    row = {"id": example.id} | {text: getattr(example, text) for text in TEXTS[type(example)]} | {"label": UNANNOTATED}
    if lines := file_lines(example, FORMAT.name):
        header, line = lines
        row = dict(zip(_names(header), line.rstrip("\r\n").split("\t"), strict=True))
    elif any(char in cell for cell in row.values() for char in "\t\r\n"):
        raise CorpusError(f"{example.id}: a tab or line end in a text cannot be written as TSV", path)
    column = next((name for name in LABELS if name in row), LABELS[0])
    if example.label != (row.get(column, "").strip() or UNANNOTATED):
        row[column] = example.label
    if example.predicted or row.get(SOURCE) == MODEL:
        row[SOURCE] = MODEL if example.predicted else ""
    if any(char in example.label for char in "\t\r\n"):
        raise CorpusError(f"{example.id}: a tab or line end in a label cannot be written as TSV", path)
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
