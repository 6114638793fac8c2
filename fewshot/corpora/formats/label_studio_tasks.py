"""Read tasks of Label Studio as sentences, pairs, documents and questions; see `label_studio`."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from fewshot.corpora import fields, offsets
from fewshot.corpora.files import Report, fail
from fewshot.corpora.formats.label_studio_results import Result
from fewshot.corpora.offsets import Entity
from fewshot.corpora.segmentation import LETTERS
from fewshot.corpora.types import UNANNOTATED, Answer, Article, Document, Pair, Paragraph, Question, Record, Sentence
from fewshot.errors import CorpusError, listed

NAME = "label-studio"
"""Name of the format."""

HINT = "Label Studio's JSON export has tasks with data and annotations; JSON-MIN and CSV are other formats"

NAMES = {"upos": "pos", "heads": "dep", "entities": "ner", "label": "label", "answers": "qa"}
"""Names of columns in the files; relations share that of the heads."""

CONTROLS = ("pos", "ner", "root")
"""Controls (``from_name``) of sentences in written files."""

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
        fields.field(task, annotations_key(task), list, where, HINT)
    newest = newest_annotation(task)
    results = None if newest is None else fields.field(newest, "result", list, where, HINT)
    made = make(fields.name(data, "id", f"{path.stem}-{number}"), data, results, where)
    lines = json.dumps(head), json.dumps(task, ensure_ascii=False)
    fields.check_characters(lines[1], where)
    marks: Head = {"record": Record(NAME, lines), "begun": fields.is_begun(data)}
    return (*made, lines) if isinstance(made, tuple) else replace(made, **marks)


def annotations_key(task: dict[str, Any]) -> str:
    """Return the key of a task's annotations; before version 1.0 ``completions``."""
    return "completions" if "completions" in task and "annotations" not in task else "annotations"


def newest_annotation(task: dict[str, Any]) -> dict[str, Any] | None:
    """Return the annotation of a task that counts: the ground truth, else the newest uncancelled one."""
    annotations = (item for item in task.get(annotations_key(task), ()) if isinstance(item, dict))
    done = [annotation for annotation in annotations if not annotation.get("was_cancelled")]
    return max(reversed(done), key=lambda item: (item.get("ground_truth") is True, _changed_at(item)), default=None)


def _changed_at(annotation: dict[str, Any]) -> float:
    """Return the time of the last change in seconds; before all others when unknown."""
    value = annotation.get("updated_at") or annotation.get("created_at")
    if isinstance(value, (int, float)):  # before version 1.0
        return value
    with contextlib.suppress(ValueError, OverflowError):
        time = datetime.fromisoformat(str(value))
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return -math.inf


def controls_of(rows: Sequence[Any], kind: str, columns: Sequence[str], path: Path) -> dict[str, str]:
    """Return the names of our controls in a file, by our names.

    Raises:
        CorpusError: when several controls fit, or the annotation is of an unsupported type.
    """
    tasks = [row for row in rows if isinstance(row, dict)]
    results = [result for task in tasks for result in _all_results(task, annotations_key(task))]
    is_class = kind in (Pair.kind, Document.kind)
    types = {str(result.get("type")) for result in results}
    unread = {"taxonomy"} if is_class else {name for name in types if name.endswith("labels")} - {"labels"}
    if named := sorted(types & unread):
        raise CorpusError(f"regions of type {named[0]} are not read; annotate plain text with Labels or Choices", path)
    own = {"label"} if is_class else {"qa"} if kind == Article.kind else {NAMES.get(name, "") for name in columns}
    own = {"pos" if name == "dep" else name for name in own} & {"label", "qa", "ner", "pos"}
    wanted = _choices_or_regions(results, is_class)
    is_annotated = bool(wanted)
    if not wanted:  # without annotations, use predictions and drafts
        suggested = (
            result for task in tasks for key in ("predictions", "drafts") for result in _all_results(task, key)
        )
        wanted = _choices_or_regions(suggested, is_class)
    names = dict.fromkeys(str(result.get("from_name")) for result in wanted)
    names = {name: None for name in names if not fields.SURROGATE.search(name)}  # tasks with other names are refused
    others = [name for name in names if name not in CONTROLS]
    missing = own - names.keys()
    if missing and len(others) > 1 and is_annotated:
        what = f"annotation of several controls, {listed(others)}"
        raise CorpusError(f"{what}; rename the right one to {min(missing)!r}, or export it alone", path)
    controls = {name: name for name in sorted(own & names.keys())}
    controls |= dict.fromkeys(missing, others[0]) if len(others) == 1 else {}
    used = {*controls.values()} | ({"root"} if "pos" in own else set())
    in_use = (result for result in wanted if str(result.get("from_name")) in used)
    targets = {str(result["to_name"]) for result in in_use if "to_name" in result}
    if len(targets) > 1 and not is_class:
        what = f"regions of {listed(sorted(controls.values()))} in several texts, {listed(sorted(targets))}"
        raise CorpusError(f"{what}; export the regions of one text alone", path)
    return controls | ({"to_name": targets.pop()} if len(targets) == 1 else {})


def named_columns(rows: Sequence[Any], columns: Sequence[str]) -> list[str]:
    """Return the columns of sentences for which a file has a control with our name."""
    tasks = [row for row in rows if isinstance(row, dict)]
    results = (result for task in tasks for result in _all_results(task, annotations_key(task)))
    names = {str(result.get("from_name")) for result in results}
    controls = {"upos": "pos", "heads": "pos", "deprels": "pos", "entities": "ner"}
    return [column for column in columns if controls.get(column) in names]


def _choices_or_regions(results: Iterable[Result], is_class: bool) -> list[Result]:
    if is_class:
        return [result for result in results if result.get("type") == "choices" and not _is_of_region(result)]
    return [result for result in results if result.get("type") == "labels"]


def _all_results(task: dict[str, Any], key: str) -> Iterator[Result]:
    annotations = task.get(key)
    for annotation in annotations if isinstance(annotations, list) else ():
        if isinstance(annotation, dict) and isinstance(annotation.get("result"), list):
            yield from (result for result in annotation["result"] if isinstance(result, dict))


def _is_of_region(result: Result) -> bool:
    value = result.get("value")
    return isinstance(value, dict) and "start" in value


def is_choice(result: Result, controls: Mapping[str, str]) -> bool:
    """Return whether a result is the label of the whole task."""
    is_ours = result.get("from_name") == controls.get("label", "label")
    return result.get("type") == "choices" and is_ours and not _is_of_region(result)


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


def _choice(controls: Mapping[str, str], results: list[Result] | None, where: str) -> str:
    choices = [result for result in results or () if isinstance(result, dict) and is_choice(result, controls)]
    if not choices:
        return UNANNOTATED
    labels = fields.words(fields.field(choices[-1], "value", dict, where, HINT), "choices", where)
    if len(labels) != 1:
        raise CorpusError(f"{len(labels)} choices; leave one", where)
    return labels[0]


def _pair(
    controls: Mapping[str, str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> Pair:
    premise, hypothesis = (fields.text(data, name, where) for name in ("premise", "hypothesis"))
    return Pair(key, premise, hypothesis, _choice(controls, results, where), where)


def _document(
    controls: Mapping[str, str], key: str, data: dict[str, Any], results: list[Result] | None, where: str
) -> Document:
    return Document(key, fields.text(data, "text", where), _choice(controls, results, where), where)


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
