"""Read and write JSON Lines: one object per line, for sentences, pairs and documents.

- sentence: ``{"id", "text", "words", "upos", "heads", "deprels", "entities", "lemmas", "feats", "xpos"}``, with the
  annotated columns. Either ``words`` (then split as raw text) or ``text`` may be missing. ``entities`` are tags, one
  per word, with a bar between those of nested entities, or character spans of the text: ``{"start", "end", "label"}``.
- pair: ``{"id", "premise", "hypothesis", "label"}``
- document: ``{"id", "text", "label"}``

``predicted`` names predicted columns, as in ``["upos"]``; ``"label_status": "begun"`` marks begun examples. Lines with
the ``answer`` ``reject`` or ``ignore`` of Prodigy count as not annotated. A line keeps its further keys, and stays as
it is where nothing was annotated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from fewshot.corpora import fields, offsets
from fewshot.corpora.files import Report, check_line_end, decode, fail, keep, raw_rows, write_text
from fewshot.corpora.formats import jsonl_shapes
from fewshot.corpora.formats.common import layout
from fewshot.corpora.formats.format import Format
from fewshot.corpora.formats.jsonl_shapes import ENTITIES, is_rejected, is_stretch
from fewshot.corpora.iob import BAR, TAG, is_tag, set_scheme, to_scheme
from fewshot.corpora.segmentation import LETTERS
from fewshot.corpora.types import Document, Example, Pair, Record, Sentence, file_lines
from fewshot.errors import CorpusError


def read(path: str | Path, kind: str | None = None, report: Report = fail) -> list[Any]:
    """Read a file of sentences, pairs or documents.

    Args:
        kind: of example; None: the first line decides. A premise means pairs, a label without words documents.
    """
    path = Path(path)
    for number, line in islice(raw_rows(path), 1):
        if line.strip(layout.AROUND.encode()) in (b"[", b"{"):
            message = "JSON of several lines; write each object on a line of its own, without brackets around all"
            raise CorpusError(message, path, number)
    examples: list[Any] = []
    for number, values, record in keep(partial(_parsed, path), raw_rows(path), report):
        kind = kind or _kind(values)
        made = keep(partial(_example, kind, path), [(number, values)], report)
        begun = fields.is_begun(values)
        examples += (replace(example, record=record, begun=begun) for example in made)
    if not examples:
        raise CorpusError("no example in this file; write one JSON object a line", path)
    return set_scheme(examples) if kind == Sentence.kind else examples


def write(examples: Iterable[Any], path: str | Path, columns: Sequence[str], stretches: bool = False) -> None:
    """Write sentences, pairs or documents.

    Args:
        columns: written for examples from other formats; examples of this format keep theirs.
        stretches: write entities as character spans instead of tags, for tools without words.
    """
    write_text(path, _ended(_line(example, columns, stretches) for example in examples))


def _ended(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines; only the first may have a byte order mark, and only the last may lack its line end."""
    last = ""
    for line in lines:
        yield last if not last or last.endswith("\n") else last + "\n"
        last = line.removeprefix("\ufeff") if last else line
    yield last


def _line(example: Any, columns: Sequence[str], stretches: bool) -> str:
    if not (lines := file_lines(example, FORMAT.name)):
        return json.dumps(_row(example, columns, stretches), ensure_ascii=False) + "\n"
    values = _values(lines[0])
    return _updated_line(lines[0], fields.with_status(values | _changes(example, values, stretches), example.begun))


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of an example with its id replaced, if it has one."""
    (line,) = record.lines
    values = _values(line)
    fields.rename(values, "id", ids)
    return Record(record.format, (_updated_line(line, values),))


def _updated_line(line: str, new: dict[str, Any]) -> str:
    old = _values(line)
    if new == old:
        return line
    known = layout.layout_of(line, old, STYLES)
    return layout.dump(new, known | {"behind": known["behind"] or "\n"})


def _values(line: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(line.strip(layout.AROUND))
    return values


def _changes(example: Any, old: dict[str, Any], stretches: bool) -> dict[str, Any]:
    """Return the values that changed since an example was read, with those that must accompany them."""
    before = _example(example.kind, Path(), (0, old))
    new = {name: getattr(example, name) for name in example.columns}
    if isinstance(example, Sentence):
        new["entities"] = to_scheme(example.entities, before.entities, example.scheme)
    new = {name: value for name, value in new.items() if value != getattr(before, name)}
    if isinstance(example, Sentence):
        stretched = _stretches(old)
        given = stretched is not None
        if (stretches or given) and offsets.is_annotated(example.entities) and ("entities" in new or not given):
            places = offsets.places(before.text, before.words)
            text, places = offsets.lay_out(example) if places is None else (before.text, places)
            known = _objects_by_entity(stretched or (), before.text, places)
            entities = offsets.entities(example.entities, places)
            new |= {"text": text, "entities": [known.get(entity, entity._asdict()) for entity in entities]}
        elif new and "words" not in old:
            new["words"] = example.words
    if example.predicted != before.predicted:
        new["predicted"] = example.predicted
    if new and is_rejected(old):
        new["answer"] = "accept"
    return new


def _stretches(values: dict[str, Any]) -> list[Any] | None:
    """Return the entity spans of a line; None where its entities are tags."""
    given = values.get("entities")
    if not isinstance(given, list) or not all(isinstance(value, dict) for value in given):
        return None
    return given if given or "text" in values else None


def _objects_by_entity(
    given: Sequence[dict[str, Any]], text: str, places: Sequence[tuple[int, int]]
) -> dict[offsets.Entity, dict[str, Any]]:
    stretches, objects = [entity(values, text, "") for values in given], {}
    on_words = offsets.spans(stretches, places, text, "")
    for (first, end, label), stretch, values in zip(on_words, stretches, given, strict=True):
        same = offsets.Entity(places[first][0], places[end - 1][1], label)
        is_counted = (values["start"], values["end"]) == stretch[:2]
        objects[same] = values if is_counted else values | {"start": stretch.start, "end": stretch.end}
    return objects


def _row(example: Any, columns: Sequence[str], stretches: bool) -> dict[str, Any]:
    marks: dict[str, Any] = {"predicted": list(example.predicted)} if example.predicted else {}
    marks = fields.with_status(marks, example.begun)
    if isinstance(example, Pair):
        texts = {"premise": example.premise, "hypothesis": example.hypothesis}
        return {"id": example.id, **texts, "label": example.label, **marks}
    if isinstance(example, Document):
        return {"id": example.id, "text": example.text, "label": example.label, **marks}
    row = {"id": example.id, "text": example.text, "words": example.words}
    row |= {name: getattr(example, name) for name in columns if offsets.is_annotated(getattr(example, name))}
    if stretches:
        row["text"], word_places = offsets.lay_out(example)
        if "entities" in row:
            row["entities"] = [entity._asdict() for entity in offsets.entities(example.entities, word_places)]
    return row | marks


def _parsed(path: Path, row: tuple[int, bytes]) -> tuple[int, dict[str, Any], Record]:
    number, line = row
    text = decode(path, number, line)
    check_line_end(text, path, number)
    value = fields.parse(text, path, number)
    if not isinstance(value, dict):
        raise CorpusError("a JSON object is expected on this line: {...}", path, number)
    if "\\u" in text:
        fields.check_characters(json.dumps(value, ensure_ascii=False), f"{path}:{number}")
    return number, value, Record(FORMAT.name, (line.decode("utf-8"),))


def _kind(row: dict[str, Any]) -> str:
    if "premise" in row:
        return "pairs"
    is_document = "label" in row and "words" not in row and not isinstance(row["label"], dict)
    return "documents" if is_document else "sentences"


def _example(kind: str, path: Path, row: tuple[int, dict[str, Any]]) -> Any:
    number, values = row
    example = READERS[kind](fields.name(values, "id", f"{path.stem}-{number}"), values, f"{path}:{number}")
    return example.unannotated() if is_rejected(values) else example


def _pair(key: str, values: dict[str, Any], where: str) -> Pair:
    premise, hypothesis = (fields.text(values, name, where) for name in ("premise", "hypothesis"))
    return Pair(key, premise, hypothesis, fields.label(values, where), where, predicted=_predicted(values, Pair))


def _document(key: str, values: dict[str, Any], where: str) -> Document:
    text = fields.text(values, "text", where)
    return Document(key, text, fields.label(values, where), where, predicted=_predicted(values, Document))


def _sentence(key: str, values: dict[str, Any], where: str) -> Sentence:
    given = fields.words(values, "words", where) if "words" in values else ()
    hint = fields.renames(values, "words", "text")
    text = fields.text(values, "text", where, hint) if "text" in values or not given else " ".join(given)
    words = given or tuple(LETTERS.segmenter(text))
    columns: dict[str, Any] = {}
    for column in ("upos", "deprels", *Sentence.asked):
        if column in values:
            columns[column] = fields.words(values, column, where, gaps=column == "feats")
    if "heads" in values:
        columns["heads"] = _heads(values, len(words), where)
    if "entities" in values:
        columns["entities"] = _entities(values, text, words, where)
    jsonl_shapes.refuse(values, len(words), where)
    for column, entries in columns.items():
        if len(entries) != len(words):
            hint = "" if given else fields.renames(values, "words")
            message = f"{len(entries)} {column} for {len(words)} words"
            raise CorpusError(f"{message}; {hint}" if hint else message, where)
    predicted = _predicted(values, Sentence)
    return Sentence(key, text, words, **columns, where=where, predicted=predicted, is_segmented=not given)


STYLES = [style for style in layout.STYLES if style["indent"] is None]
"""JSON styles of lines; a changed line keeps its style."""

READERS: Mapping[str, Callable[..., Any]] = {"sentences": _sentence, "pairs": _pair, "documents": _document}
"""Functions that turn a line into an example, by kind."""


def _predicted(values: dict[str, Any], kind: type[Example]) -> tuple[str, ...]:
    """Return the predicted columns; the key may have another meaning in other tools."""
    names = values.get("predicted")
    known = isinstance(names, list) and all(name in kind.columns for name in names)
    return tuple(names) if known and names else ()


def _heads(values: dict[str, Any], words: int, where: str) -> tuple[int, ...]:
    heads = fields.field(values, "heads", list, where)
    bad = [head for head in heads if not isinstance(head, int) or isinstance(head, bool) or not -1 <= head <= words]
    if bad:
        raise CorpusError(
            f"head {bad[0]!r} is not a word of this sentence (0-{words}; -1 where nobody has annotated)", where
        )
    return tuple(heads)


def _entities(values: dict[str, Any], text: str, words: tuple[str, ...], where: str) -> tuple[str, ...]:
    given = fields.field(values, "entities", list, where, ENTITIES)
    if given and isinstance(given[0], str):
        tags = fields.words(values, "entities", where)
        bad = [tag for tag in tags if not all(map(TAG.fullmatch if BAR.search(tag) else is_tag, BAR.split(tag)))]
        if bad:
            raise CorpusError(f"{bad[0]!r} is not an entity tag (O, B-TYPE, I-TYPE)", where)
        return tags
    if any(map(is_stretch, given)):
        raise CorpusError(f"'entities' holds lists of three; {ENTITIES}", where)
    word_places = offsets.places(text, words)
    if word_places is None:
        raise CorpusError("the words do not occur in the text in this order; give entities as tags", where)
    return offsets.tags((entity(value, text, where) for value in given), word_places, text, where)


def entity(values: Any, text: str, where: str) -> offsets.Entity:
    """Return a labelled span, counted in characters.

    Raises:
        CorpusError: when ``start``, ``end`` or ``label`` is missing, or the span does not match its own text.
    """
    start, end = (fields.field(values, name, int, where, ENTITIES) for name in ("start", "end"))
    label = fields.one_line(fields.text(values, "label", where, ENTITIES), where)
    own_text = values.get("text")
    if not isinstance(own_text, str) or not own_text.strip():
        return offsets.Entity(start, end, label)
    stretch = offsets.to_characters(text, start, end, own_text)
    if stretch is None:
        raise CorpusError(f"{label} at {start}-{end} does not match its text {own_text!r}; correct the offsets", where)
    return offsets.Entity(*stretch, label)


FORMAT = Format(
    name="jsonl",
    title="JSON Lines",
    rank=6,
    suffixes=(".jsonl", ".ndjson"),
    holds={kind.kind: kind.columns for kind in (Sentence, Pair, Document)},
    read=lambda path, options: read(path, options.kind, options.report),
    write=lambda examples, path, columns: write(examples, path, columns),
    rename=rename,
    nested=True,
)
