"""Read tab-separated files whose first line names the columns: pairs (NLI) and documents (topics)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from fewshot.corpora.files import Report, fail, keep, read_lines, write_text
from fewshot.corpora.formats.format import Format
from fewshot.corpora.types import UNANNOTATED, Document, Pair
from fewshot.errors import CorpusError

TEXTS = {Pair: ("premise", "hypothesis"), Document: ("text",)}
"""Columns of each kind of example that hold text."""

LABELS, IDS = ("label", "category"), ("id", "index_id")
"""What the other columns may be called; both may be missing."""


def read(path: str | Path, report: Report = fail) -> list[Pair] | list[Document]:
    """Read a file of pairs or of documents; the columns say which it is.

    Args:
        path: a UTF-8 file: no quoting, an empty label or ``_`` where nobody has annotated, further columns ignored.
        report: told of each bad line.

    Returns:
        The examples in file order, named by their id or ``<file stem>-<number>``.

    Raises:
        CorpusError: with ``file:line``, for other columns than these, a line with more or fewer, an empty text, a name
            of a column or an id that is used twice.
    """
    path = Path(path)
    header, *lines = (line.rstrip("\r\n") for line in read_lines(path))
    names = header.removeprefix("\ufeff").split("\t")
    kind = next((kind for kind, texts in TEXTS.items() if set(texts) <= set(names)), None)
    if kind is None:
        raise CorpusError("the first line must name the columns: premise, hypothesis, label; or text, label", path, 1)
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise CorpusError(f"column {twice[0]!r} is named twice; rename or remove one", path, 1)
    rows = ((number, line.split("\t")) for number, line in enumerate(lines, start=2) if line.strip())
    places: dict[str, int] = {}
    examples = list(keep(lambda row: _example(path, kind, names, places, *row), rows, report))
    if not examples:
        raise CorpusError("no line after the names of the columns", path)
    return examples


def _example(
    path: Path, kind: type, names: Sequence[str], places: dict[str, int], number: int, cells: Sequence[str]
) -> Any:
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
    return kind(key, *texts, label=label or UNANNOTATED, where=f"{path}:{number}")


def write(examples: Iterable[Pair] | Iterable[Document], path: str | Path) -> None:
    """Write the examples, all of one kind, atomically; spaces around a text are lost when it is read again.

    Raises:
        CorpusError: when a text holds a tab or a line end, which this format cannot hold.
    """
    rows: list[Sequence[str]] = []
    for example in examples:
        texts = TEXTS[type(example)]
        rows = rows or [("id", *texts, "label")]
        row = (example.id, *(getattr(example, text) for text in texts), example.label)
        if any(char in cell for cell in row for char in "\t\r\n"):
            raise CorpusError(f"{example.id}: a tab or line end in a text cannot be written as TSV", path)
        rows.append(row)
    write_text(path, "".join("\t".join(row) + "\n" for row in rows))


FORMAT = Format(
    name="tsv",
    title="tab-separated columns",
    rank=5,
    suffixes=(".tsv",),
    holds={Pair.kind: Pair.columns, Document.kind: Document.columns},
    read=lambda path, how: read(path, how.report),
    write=lambda examples, path, columns: write(examples, path),
)
