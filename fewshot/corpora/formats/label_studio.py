"""Read and write the JSON of Label Studio (https://labelstud.io/guide/task_format).

A Label Studio task is a sentence, pair or document, or one question of an article. Its annotations are:

- UPOS, heads: a region a word of the control ``pos``, labelled with its UPOS (``_`` where it has none); a relation from
  head to dependent; a region of the control ``root`` on the root
- entities: a region an entity, of the control ``ner``
- label: a choice
- answers: a region an answer, of the control ``qa``

Offsets are counted in characters (code points), as Label Studio does since 2022; older files, which count in UTF-16,
are known by the text that stands beside the offsets. The words are kept in the task's data, so that they are the same
when it is read again; without them a text is split as by `fewshot.corpora.formats.text`. Predictions are not read; what
a model has filled is written as one. A task that was read keeps its further keys, data and annotations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fewshot.corpora import fields, offsets
from fewshot.corpora.files import Report, fail, keep, write_text
from fewshot.corpora.formats.format import Format, Reading
from fewshot.corpora.offsets import Entity
from fewshot.corpora.segmentation import PLAIN
from fewshot.corpora.types import (
    UNANNOTATED,
    Answer,
    Article,
    Document,
    Pair,
    Paragraph,
    Question,
    Record,
    Sentence,
    file_lines,
)
from fewshot.errors import CorpusError

HINT = "Label Studio's JSON export has tasks with data and annotations; JSON-MIN and CSV are other formats"

NAMES = {"upos": "pos", "heads": "dep", "entities": "ner", "label": "label", "answers": "qa"}
"""What columns are called in the files; relations are named by that of the heads."""

CONTROLS = ("pos", "ner", "root")
"""Controls (``from_name``) of sentences that are written; regions of another control are read as what is asked for."""

TEXTS = {
    Sentence.kind: ("text",),
    Pair.kind: ("premise", "hypothesis"),
    Document.kind: ("text",),
    Article.kind: ("question", "text"),
}
"""What is shown of each kind of example."""

Result = dict[str, Any]
Answered = tuple[str, str, Question, str, str]
"""Title of an article, paragraph, question, where it stands, its task as JSON."""


def write(examples: Iterable[Any], path: str | Path, columns: Sequence[str]) -> None:
    """Write examples as tasks to import, atomically.

    Args:
        examples: of one kind.
        path: the file to write or replace.
        columns: that are written of sentences; others have one only.
    """
    rows = [row for example in examples for row in _rows(example, columns)]
    write_text(path, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


def read(path: str | Path, kind: str, columns: Sequence[str], report: Report = fail) -> list[Any]:
    """Read tasks with their newest annotation that was not cancelled.

    Args:
        path: a UTF-8 file.
        kind: of example.
        columns: that are read of sentences. One that has an annotation has ``O`` where no entity is marked, unless only
            other columns were annotated.
        report: told of each bad task.

    Returns:
        Sentences, pairs, documents or articles, named by ``id`` in their data, else ``<file stem>-<number>``.

    Raises:
        CorpusError: with file and task, for data that is missing, a region outside the text or across words.
    """
    path = Path(path)
    rows = fields.load(path)
    if not isinstance(rows, list):
        raise CorpusError(f"a list of tasks is expected; {HINT}", path)
    numbered = enumerate(rows, start=1)
    make: Callable[..., Any] = partial(_sentence, columns) if kind == Sentence.kind else MAKE[kind]
    made = keep(partial(_made, path, make), numbered, report)
    examples: list[Any] = _articles(made) if kind == Article.kind else list(made)
    if not examples:
        raise CorpusError("no task in this file", path)
    return examples


def rename(record: Record, ids: Mapping[str, str]) -> Record:
    """Return the record of an example with another id and, of a question, another article, where it has them."""
    tasks = list(map(json.loads, record.lines))
    for data in (task["data"] for task in tasks):
        for name in ("id", "article") if "question" in data else ("id",):
            fields.rename(data, name, ids)
    return Record(record.format, tuple(json.dumps(task, ensure_ascii=False) for task in tasks))


def _rows(example: Any, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the tasks of an example: those that were read, with the annotation as it is now, or new ones."""
    olds = list(map(json.loads, file_lines(example, FORMAT.name)))
    guessed = [column for column in columns if column in example.predicted]
    before = _read_again(example.kind, columns, olds) if olds else example.unannotated()
    new = list(_fresh(_restored(example, guessed, before), columns))
    rows = [_changed(example.kind, columns, *pair) for pair in zip(olds, new, strict=True)] if olds else new
    for row, guess in zip(rows, _fresh(example, guessed) if guessed else rows, strict=True):
        guesses = [{"model_version": "fewshot", **each} for each in guess["annotations"]]
        yield row | {"predictions": guesses} if guessed else row


def _restored(example: Any, columns: Sequence[str], before: Any) -> Any:
    """Return an example with some columns as they were before."""
    if isinstance(example, Article):
        return before if columns else example
    return replace(example, **{column: getattr(before, column) for column in columns})


def _read_again(kind: str, columns: Sequence[str], tasks: Sequence[dict[str, Any]]) -> Any:
    """Return the example of the tasks that were read."""
    make = partial(_sentence, columns) if kind == Sentence.kind else MAKE[kind]
    made = [_made(Path(), make, (0, task)) for task in tasks]
    return _articles(made)[0] if kind == Article.kind else made[0]


def _changed(kind: str, columns: Sequence[str], old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return a task that was read with the newest of its annotations replaced, where that has changed."""
    (same,) = _fresh(_read_again(kind, columns, [old]), columns)
    if new["annotations"] == same["annotations"]:
        return old
    said = {key: value for key, value in new["data"].items() if key in ("words", "annotated")}
    newest = _newest(old)
    if not newest or not new["annotations"]:
        return old | {"data": old["data"] | said, "annotations": new["annotations"]}
    others = [each for each in old["annotations"] if each is not newest]
    return old | {"data": old["data"] | said, "annotations": [*others, newest | new["annotations"][0]]}


def _fresh(example: Any, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield new tasks of an example."""
    if isinstance(example, Sentence):
        text, word_places = offsets.laid_out(example)
        done = [name for name in columns if name in NAMES and offsets.is_annotated(getattr(example, name))]
        annotated = [NAMES[column] for column in done]
        data: dict[str, Any] = {"id": example.id, "text": text, "words": example.words, "annotated": annotated}
        results = [result for column in done for result in _results(column, done, example, text, word_places)]
        yield _task(data, results, bool(done))
    elif isinstance(example, Article):
        for paragraph in example.paragraphs:
            for question in paragraph.questions:
                data = {"id": question.id, "article": example.id, "text": paragraph.context, "question": question.text}
                spans = (Entity(a.start, a.start + len(a.text), "answer") for a in question.answers)
                yield _task(data, [_region("qa", span, paragraph.context) for span in spans], bool(question.answers))
    else:
        names = ("premise", "hypothesis") if isinstance(example, Pair) else ("text",)
        data = {"id": example.id} | {name: getattr(example, name) for name in names}
        choice = {"from_name": "label", "to_name": names[-1], "type": "choices", "value": {"choices": [example.label]}}
        yield _task(data, [choice], example.label != UNANNOTATED)


def _task(data: dict[str, Any], results: list[Result], annotated: bool) -> dict[str, Any]:
    return {"data": data, "annotations": [{"result": results}] if annotated else []}


def _results(
    column: str, done: Sequence[str], sentence: Sentence, text: str, word_places: list[tuple[int, int]]
) -> Iterator[Result]:
    words = [Entity(start, end, upos) for (start, end), upos in zip(word_places, sentence.upos, strict=True)]
    if column == "entities":
        yield from (_region("ner", each, text) for each in offsets.entities(sentence.entities, word_places))
    if column == "upos" or (column == "heads" and "upos" not in done):
        yield from (_region("pos", word, text) for word in words)
    if column == "heads":
        for word, head, deprel in zip(words, sentence.heads, sentence.deprels, strict=True):
            if head == 0:
                yield _region("root", word._replace(label=deprel), text)
            elif head > 0:
                ids = {"from_id": _id("pos", words[head - 1]), "to_id": _id("pos", word)}
                yield ids | {"type": "relation", "direction": "right", "labels": [deprel]}


def _id(control: str, region: Entity) -> str:
    return f"{control}-{region.start}-{region.end}"


def _region(control: str, region: Entity, text: str) -> Result:
    start, end, label = region
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    return {"id": _id(control, region), "from_name": control, "to_name": "text", "type": "labels", "value": value}


def _made(path: Path, make: Callable[..., Any], row: tuple[int, Any]) -> Any:
    number, task = row
    where = f"{path}: task {number}"
    data = fields.field(task, "data", dict, where, HINT)
    annotations = fields.field(task, "annotations", list, where, HINT) if "annotations" in task else []
    newest = _newest({"annotations": annotations})
    results = None if newest is None else fields.field(newest, "result", list, where, HINT)
    made = make(fields.name(data, "id", f"{path.stem}-{number}"), data, results, where)
    text = json.dumps(task, ensure_ascii=False)
    return (*made, text) if isinstance(made, tuple) else replace(made, record=Record(FORMAT.name, (text,)))


def _newest(task: dict[str, Any]) -> dict[str, Any] | None:
    """Return the newest annotation of a task that was not cancelled."""
    done = [each for each in task.get("annotations", ()) if isinstance(each, dict) and not each.get("was_cancelled")]
    return max(done, key=lambda each: str(each.get("updated_at", "")), default=None)


def _sentence(
    columns: Sequence[str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> Sentence:
    text = fields.text(data, "text", where)
    words = fields.words(data, "words", where) if "words" in data else tuple(PLAIN.segmenter(text))
    word_places = offsets.places(text, words)
    if word_places is None:
        raise CorpusError("the words do not stand in the text one after the other", where)
    if results is not None and not _tells_entities(data, results):
        columns = [column for column in columns if column != "entities"]
    values = {} if results is None else _values(columns, results, text, word_places, where)
    return Sentence(key, text, words, **values, where=where)


def _tells_entities(data: dict[str, Any], results: list[Result]) -> bool:
    """Return whether a sentence without marked entities has none, rather than annotation of other tasks only."""
    names = [result.get("from_name") for result in results if isinstance(result, dict)]
    done = data.get("annotated")
    return "ner" in names or (isinstance(done, list) and "ner" in done) or not ("pos" in names or "root" in names)


def _values(
    columns: Sequence[str], results: list[Result], text: str, word_places: list[tuple[int, int]], where: str
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    numbers = {place: number for number, place in enumerate(word_places, start=1)}
    if "entities" in columns:
        regions = _regions(results, "ner", text, where)
        values["entities"] = offsets.tags((region for _, region in regions), word_places, where)
    if "upos" in columns or "heads" in columns:
        named = dict(_regions(results, "pos", text, where))
        words = {name: _number(region, numbers, where) for name, region in named.items()}
    if "upos" in columns:
        labels = {words[name]: region.label for name, region in named.items()}
        values["upos"] = tuple(labels.get(number, UNANNOTATED) for number in numbers.values())
    if "heads" in columns:
        roots = (region for _, region in _regions(results, "root", text, where))
        tree = {_number(region, numbers, where): (0, region.label) for region in roots}
        for head, word, label in _arcs(results, words, where):
            if word in tree:
                raise CorpusError(f"word {word} has two heads; remove one relation", where)
            tree[word] = head, label
        values["heads"] = tuple(tree.get(number, (-1, ""))[0] for number in numbers.values())
        values["deprels"] = tuple(tree.get(number, (-1, UNANNOTATED))[1] for number in numbers.values())
    return values


def _arcs(results: list[Result], words: dict[str, int], where: str) -> Iterator[tuple[int, int, str]]:
    """Yield head, dependent and relation of each arc."""
    for result in results:
        if isinstance(result, dict) and result.get("type") == "relation":
            ends = [words.get(str(result.get(name))) for name in ("from_id", "to_id")]
            head, word = reversed(ends) if result.get("direction") == "left" else ends
            if head is None or word is None:
                raise CorpusError("a relation between regions that are no words", where)
            labels = fields.words(result, "labels", where) if result.get("labels") else (UNANNOTATED,)
            yield head, word, labels[0]


def _number(region: Entity, numbers: dict[tuple[int, int], int], where: str) -> int:
    number = numbers.get(region[:2])
    if number is None:
        raise CorpusError(f"{region.label} at {region.start}-{region.end} is not on one whole word", where)
    return number


def _regions(results: list[Result], control: str, text: str, where: str) -> Iterator[tuple[str, Entity]]:
    """Yield id and stretch of each region of a control, or of one that has a name of its own."""
    for result in results:
        if not isinstance(result, dict) or result.get("type") != "labels":
            continue
        name = result.get("from_name")
        if name == control or (control != "root" and name not in CONTROLS):
            value = fields.field(result, "value", dict, where, HINT)
            labels = fields.words(value, "labels", where)
            if len(labels) != 1:
                raise CorpusError(f"a region has {len(labels)} labels; leave one", where)
            yield str(result.get("id")), Entity(*_stretch(value, text, where), labels[0])


def _stretch(value: dict[str, Any], text: str, where: str) -> tuple[int, int]:
    start, end = (fields.field(value, name, int, where, HINT) for name in ("start", "end"))
    said = value.get("text")
    stretch = offsets.find(text, start, end, said if isinstance(said, str) else None)
    if stretch is None:
        raise CorpusError(f"the region {start}-{end} is not in the text, or not where {said!r} stands", where)
    return stretch


def _choice(results: list[Result] | None, where: str) -> str:
    choices = [each for each in results or () if isinstance(each, dict) and each.get("type") == "choices"]
    if not choices:
        return UNANNOTATED
    labels = fields.words(fields.field(choices[-1], "value", dict, where, HINT), "choices", where)
    if len(labels) != 1:
        raise CorpusError(f"{len(labels)} choices; leave one", where)
    return labels[0]


def _pair(key: str, data: dict[str, Any], results: list[Result] | None, where: str) -> Pair:
    premise, hypothesis = (fields.text(data, name, where) for name in ("premise", "hypothesis"))
    return Pair(key, premise, hypothesis, _choice(results, where), where)


def _document(key: str, data: dict[str, Any], results: list[Result] | None, where: str) -> Document:
    return Document(key, fields.text(data, "text", where), _choice(results, where), where)


def _question(
    key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> tuple[str, str, Question, str]:
    context = fields.text(data, "text", where)
    spans = [span for _, span in _regions(results or [], "qa", context, where)]
    answers = tuple(Answer(context[start:end], start) for start, end, _ in spans)
    question = Question(key, fields.text(data, "question", where), answers)
    return fields.name(data, "article", context[:40]), context, question, where


def _articles(rows: Iterable[Answered]) -> list[Article]:
    """Put the questions of a paragraph, and the paragraphs of an article, together."""
    articles: dict[str, dict[str, list[Answered]]] = {}
    for row in rows:
        articles.setdefault(row[0], {}).setdefault(row[1], []).append(row)
    return [_article(title, list(paragraphs.values())) for title, paragraphs in articles.items()]


def _article(title: str, paragraphs: Sequence[Sequence[Answered]]) -> Article:
    made = (Paragraph(rows[0][1], tuple(question for _, _, question, *_ in rows)) for rows in paragraphs)
    record = Record(FORMAT.name, tuple(text for rows in paragraphs for *_, text in rows))
    return Article(title, tuple(made), where=paragraphs[0][0][3], record=record)


MAKE: Mapping[str, Callable[..., Any]] = {Pair.kind: _pair, Document.kind: _document, Article.kind: _question}
"""What makes an example of a task, or one question of an article, by kind."""


def _read(path: Path, how: Reading) -> list[Any]:
    if how.layer is None:
        raise CorpusError("Label Studio's files do not say which task they are of; give it (--task)", path)
    return read(path, how.layer.example.kind, how.layer.columns, how.report)


FORMAT = Format(
    name="label-studio",
    title="Label Studio",
    rank=9,
    suffixes=(".json",),
    holds={kind.kind: kind.columns for kind in (Pair, Document, Article)}
    | {Sentence.kind: ("upos", "heads", "deprels", "entities")},
    read=_read,
    write=write,
    rename=rename,
    begins="[",
    exported=True,
    units=True,
)
