"""Read tasks of Label Studio as sentences, pairs, documents and questions; see `export`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fewshot.corpora import fields, offsets
from fewshot.corpora.files import Report, fail
from fewshot.corpora.formats.label_studio.controls import annotations_key, is_choice, newest_annotation
from fewshot.corpora.formats.label_studio.results import Result
from fewshot.corpora.offsets import Entity
from fewshot.corpora.segmentation import LETTERS
from fewshot.corpora.types import (
    SEPARATOR,
    UNANNOTATED,
    Answer,
    Article,
    Document,
    Pair,
    Paragraph,
    Question,
    Record,
    Sentence,
)
from fewshot.errors import CorpusError

NAME = "label-studio"
"""Name of the format."""

HINT = "Label Studio's JSON export has tasks with data and annotations; JSON-MIN and CSV are other formats"

Head = dict[str, Any]
"""First line of a record: ``layout`` of the file, and ``controls``, the file's names of our controls."""

Answered = tuple[str, str, Question, str, tuple[str, str]]
"""Article title, paragraph, question, its place, and the lines of its record."""


def example_maker(kind: str, columns: Sequence[str], controls: Mapping[str, str]) -> Callable[..., Any]:
    """Return the function that turns a task into an example, or one question of an article."""
    return partial(_sentence, columns, controls) if kind == Sentence.kind else partial(READERS[kind], controls)


def read_tasks(kind: str, columns: Sequence[str], head: Head, tasks: Sequence[dict[str, Any]]) -> Any:
    """Return the example of tasks that were read before."""
    made = [read_task(Path(), example_maker(kind, columns, head["controls"]), head, (0, task)) for task in tasks]
    return articles_of(made)[0] if kind == Article.kind else made[0]


def read_task(path: Path, make: Callable[..., Any], head: Head, row: tuple[int, Any]) -> Any:
    """Return the example of a task, or one question of an article.

    Args:
        make: see `example_maker`.
        row: number and JSON of the task.

    Raises:
        CorpusError: with file and task, for missing data, or a region outside the text or across words.
    """
    number, task = row
    where = f"{path}: task {number}"
    data = fields.field(task, "data", dict, where, HINT)
    if annotations_key(task) in task:
        annotations = fields.field(task, annotations_key(task), list, where, HINT)
        if not all(isinstance(annotation, dict) for annotation in annotations if annotation is not None):
            raise CorpusError("an annotation is no object with its results; export the project as JSON", where)
    newest = newest_annotation(task)
    results = None if newest is None else fields.field(newest, "result", list, where, HINT)
    made = make(fields.name(data, "id", f"{path.stem}-{number}"), data, results, where)
    lines = json.dumps(head), json.dumps(task, ensure_ascii=False)
    fields.check_characters(lines[1], where)
    marks: Head = {"record": Record(NAME, lines), "begun": fields.is_begun(data)}
    return (*made, lines) if isinstance(made, tuple) else replace(made, **marks)


def _sentence(
    columns: Sequence[str],
    controls: Mapping[str, str],
    key: str,
    data: dict[str, Any],
    results: list[Result] | None,
    where: str,
) -> Sentence:
    text = fields.text(data, "text", where)
    words = fields.words(data, "words", where) if "words" in data else tuple(LETTERS.segmenter(text))
    word_places = offsets.places(text, words)
    if word_places is None:
        raise CorpusError("the words do not occur in the text in this order", where)
    if results is not None and not _tells_entities(data, results, controls):
        columns = [column for column in columns if column != "entities"]
    values = {} if results is None else _values(columns, controls, results, text, word_places, where)
    return Sentence(key, text, words, **values, where=where, is_segmented="words" not in data)


def _tells_entities(data: dict[str, Any], results: list[Result], controls: Mapping[str, str]) -> bool:
    """Return whether a sentence without marked entities has none, rather than only other annotation.

    Choices and notes alone mean no entities in a file with the control of entities: their authors could mark some.
    """
    regions = [item.get("from_name") for item in results if isinstance(item, dict) and item.get("type") == "labels"]
    done = data.get("annotated")
    if controls.get("ner", "ner") in regions:
        return True
    if isinstance(done, list):
        return "ner" in done
    return not results or ("ner" in controls and not regions)


def _values(
    columns: Sequence[str],
    controls: Mapping[str, str],
    results: list[Result],
    text: str,
    word_places: list[tuple[int, int]],
    where: str,
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    ner, pos = (controls.get(name, name) for name in ("ner", "pos"))
    numbers = {place: number for number, place in enumerate(word_places, start=1)}
    if "entities" in columns:
        regions = _regions(results, ner, text, where)
        values["entities"] = offsets.tags((region for _, region in regions), word_places, text, where)
    if "upos" in columns or "heads" in columns:
        named = dict(_regions(results, pos, text, where))
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
    """Yield id and span of each region of a control."""
    ids: set[str] = set()
    for result in results:
        if isinstance(result, dict) and result.get("type") == "labels" and result.get("from_name") == control:
            value = fields.field(result, "value", dict, where, HINT)
            if not value.get("labels"):
                raise CorpusError("a region has no label; give it one, or remove the region", where)
            labels = fields.words(value, "labels", where)
            if len(labels) != 1:
                raise CorpusError(f"a region has {len(labels)} labels; leave one", where)
            if (id := str(result.get("id") or f"number {len(ids)}")) in ids:
                raise CorpusError(f"two regions have the id {id!r}; give each its own", where)
            ids.add(id)
            yield id, Entity(*_stretch(value, text, where), labels[0])


def _stretch(value: dict[str, Any], text: str, where: str) -> tuple[int, int]:
    start, end = (fields.field(value, name, int, where, HINT) for name in ("start", "end"))
    own_text = value.get("text")
    stretch = offsets.to_characters(text, start, end, own_text if isinstance(own_text, str) else None)
    if stretch is None:
        raise CorpusError(f"the region {start}-{end} is not in the text, or its text is not {own_text!r}", where)
    return stretch


def _choice(controls: Mapping[str, str], results: list[Result] | None, where: str, most: int = 1) -> str:
    """Return the label, or at most so many, joined."""
    choices = [result for result in results or () if isinstance(result, dict) and is_choice(result, controls)]
    if not choices:
        return UNANNOTATED
    labels = fields.words(fields.field(choices[-1], "value", dict, where, HINT), "choices", where)
    if not 1 <= len(labels) <= most:
        raise CorpusError(f"{len(labels)} choices; leave one", where)
    return SEPARATOR.join(labels)


def _pair(
    controls: Mapping[str, str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> Pair:
    premise, hypothesis = (fields.text(data, name, where) for name in ("premise", "hypothesis"))
    return Pair(key, premise, hypothesis, _choice(controls, results, where), where)


def _document(
    controls: Mapping[str, str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> Document:
    return Document(key, fields.text(data, "text", where), _choice(controls, results, where, sys.maxsize), where)


def _question(
    controls: Mapping[str, str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> tuple[str, str, Question, str]:
    context = fields.text(data, "text", where)
    spans = [span for _, span in _regions(results or [], controls.get("qa", "qa"), context, where)]
    answers = tuple(Answer(context[start:end], start) for start, end, _ in spans)
    question = Question(key, fields.text(data, "question", where), answers, impossible=results == [])
    return fields.name(data, "article", context[:40]), context, question, where


def articles_of(rows: Iterable[Answered], report: Report = fail) -> list[Article]:
    """Group questions by paragraph, and paragraphs by article; report and skip repeated question ids."""
    articles: dict[str, dict[str, list[Answered]]] = {}
    seen: set[str] = set()
    for row in rows:
        if (key := row[2].id) in seen:
            report(CorpusError(f"question id {key!r} is used twice; give each question its own", row[3]))
            continue
        seen.add(key)
        articles.setdefault(row[0], {}).setdefault(row[1], []).append(row)
    return [_article(title, list(paragraphs.values())) for title, paragraphs in articles.items()]


def _article(title: str, paragraphs: Sequence[Sequence[Answered]]) -> Article:
    made = (Paragraph(rows[0][1], tuple(question for _, _, question, *_ in rows)) for rows in paragraphs)
    lines = [question_lines for rows in paragraphs for *_, question_lines in rows]
    record = Record(NAME, (lines[0][0], *(task for _, task in lines)))
    marks: Head = {"record": record, "begun": any(fields.is_begun(json.loads(task)["data"]) for _, task in lines)}
    return Article(title, tuple(made), where=paragraphs[0][0][3], **marks)


READERS: Mapping[str, Callable[..., Any]] = {Pair.kind: _pair, Document.kind: _document, Article.kind: _question}
"""Functions that turn a task into an example, or one question of an article, by kind."""
