"""Read and write JSON Lines: one object a line, for sentences, pairs and documents.

- sentence: ``{"id", "text", "words", "upos", "heads", "deprels", "entities"}``, the columns where they are annotated.
  ``words`` may be missing (the text is then split, see `fewshot.corpora.formats.text`), or ``text``. ``entities`` are
  tags, one a word, or stretches of the text in characters: ``{"start", "end", "label"}``.
- pair: ``{"id", "premise", "hypothesis", "label"}``
- document: ``{"id", "text", "label"}``
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from fewshot.corpora import fields, offsets
from fewshot.corpora.files import Report, decode, fail, keep, raw_lines, write_text
from fewshot.corpora.formats.format import Format
from fewshot.corpora.iob import is_tag
from fewshot.corpora.segmentation import PLAIN
from fewshot.corpora.types import UNANNOTATED, Document, Pair, Sentence
from fewshot.errors import CorpusError


def read(path: str | Path, kind: str | None = None, report: Report = fail) -> list[Any]:
    """Read a file of sentences, of pairs or of documents.

    Args:
        path: a UTF-8 file; blank lines are skipped, further keys ignored.
        kind: ``sentences``, ``pairs`` or ``documents``; without it a first line with a premise makes a file of pairs,
            one with a label and no words a file of documents.
        report: told of each bad line.

    Returns:
        The examples in file order, named by their id or ``<file stem>-<line>``.

    Raises:
        CorpusError: with ``file:line``, for a line that is no JSON object of this kind; when there is no line.
    """
    path = Path(path)
    examples: list[Any] = []
    for row in keep(partial(_parsed, path), raw_lines(path), report):
        kind = kind or _kind(row[1])
        examples += keep(partial(MAKE[kind], path), [row], report)
    if not examples:
        raise CorpusError("no example in this file; write one JSON object a line", path)
    return examples


def write(examples: Iterable[Any], path: str | Path, stretches: bool = False) -> None:
    """Write examples, atomically.

    Args:
        examples: sentences, pairs or documents.
        path: the file to write or replace.
        stretches: write entities as stretches of the text rather than as tags, for tools that have no words.

    Raises:
        CorpusError: when the file cannot be written.
    """
    rows = (_row(example, stretches) for example in examples)
    write_text(path, (json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _row(example: Any, stretches: bool) -> dict[str, Any]:
    if isinstance(example, Pair):
        texts = {"premise": example.premise, "hypothesis": example.hypothesis}
        return {"id": example.id, **texts, "label": example.label}
    if isinstance(example, Document):
        return {"id": example.id, "text": example.text, "label": example.label}
    row = {"id": example.id, "text": example.text, "words": example.words}
    row |= {name: getattr(example, name) for name in Sentence.columns if offsets.is_annotated(getattr(example, name))}
    if stretches:
        row["text"], word_places = offsets.laid_out(example)
        if "entities" in row:
            row["entities"] = [entity._asdict() for entity in offsets.entities(example.entities, word_places)]
    return row


def _parsed(path: Path, row: tuple[int, bytes]) -> tuple[int, dict[str, Any]]:
    number, line = row
    value = fields.parse(decode(path, number, line), path, number)
    if not isinstance(value, dict):
        raise CorpusError("a JSON object is expected on this line: {...}", path, number)
    return number, value


def _kind(row: dict[str, Any]) -> str:
    if "premise" in row:
        return "pairs"
    return "documents" if "label" in row and "words" not in row else "sentences"


def _pair(path: Path, row: tuple[int, dict[str, Any]]) -> Pair:
    key, where = _name(path, *row)
    premise, hypothesis = (fields.text(row[1], name, where) for name in ("premise", "hypothesis"))
    return Pair(key, premise, hypothesis, fields.name(row[1], "label", UNANNOTATED), where)


def _document(path: Path, row: tuple[int, dict[str, Any]]) -> Document:
    key, where = _name(path, *row)
    text = fields.text(row[1], "text", where)
    return Document(key, text, fields.name(row[1], "label", UNANNOTATED), where)


def _sentence(path: Path, row: tuple[int, dict[str, Any]]) -> Sentence:
    key, where = _name(path, *row)
    values = row[1]
    given = fields.words(values, "words", where) if "words" in values else ()
    text = fields.text(values, "text", where) if "text" in values or not given else " ".join(given)
    words = given or tuple(PLAIN.segmenter(text))
    columns: dict[str, Any] = {}
    for column in ("upos", "deprels"):
        if column in values:
            columns[column] = fields.words(values, column, where)
    if "heads" in values:
        columns["heads"] = _heads(values, len(words), where)
    if "entities" in values:
        columns["entities"] = _entities(values, text, words, where)
    for column, entries in columns.items():
        if len(entries) != len(words):
            raise CorpusError(f"{len(entries)} {column} for {len(words)} words", where)
    return Sentence(key, text, words, **columns, where=where)


MAKE = {"sentences": _sentence, "pairs": _pair, "documents": _document}
"""What makes an example of each kind of a line."""


def _name(path: Path, number: int, row: dict[str, Any]) -> tuple[str, str]:
    return fields.name(row, "id", f"{path.stem}-{number}"), f"{path}:{number}"


def _heads(values: dict[str, Any], words: int, where: str) -> tuple[int, ...]:
    heads = fields.field(values, "heads", list, where)
    bad = [head for head in heads if not isinstance(head, int) or isinstance(head, bool) or not -1 <= head <= words]
    if bad:
        raise CorpusError(
            f"head {bad[0]!r} is no word of this sentence (0-{words}; -1 where nobody has annotated)", where
        )
    return tuple(heads)


def _entities(values: dict[str, Any], text: str, words: tuple[str, ...], where: str) -> tuple[str, ...]:
    given = fields.field(values, "entities", list, where)
    if given and isinstance(given[0], str):
        tags = fields.words(values, "entities", where)
        bad = [tag for tag in tags if not is_tag(tag)]
        if bad:
            raise CorpusError(f"{bad[0]!r} is no entity tag (O, B-TYPE, I-TYPE)", where)
        return tags
    word_places = offsets.places(text, words)
    if word_places is None:
        raise CorpusError("the words do not stand in the text one after the other; give entities as tags", where)
    return offsets.tags((entity(each, where) for each in given), word_places, where)


def entity(values: Any, where: str) -> offsets.Entity:
    """Return a stretch of a text with its label.

    Raises:
        CorpusError: when ``start``, ``end`` or ``label`` is missing.
    """
    start, end = (fields.field(values, name, int, where) for name in ("start", "end"))
    label = fields.text(values, "label", where)
    return offsets.Entity(start, end, label.strip())


FORMAT = Format(
    name="jsonl",
    title="JSON Lines",
    rank=6,
    suffixes=(".jsonl", ".ndjson"),
    holds={kind.kind: kind.columns for kind in (Sentence, Pair, Document)},
    read=lambda path, how: read(path, how.kind, how.report),
    write=lambda examples, path, columns: write(examples, path),
)
