"""Examples and annotations as JSON, the form in which the store keeps them and editors send them.

Columns without annotation are left out. Offsets of answers are in code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, asdict, fields, replace
from functools import cache
from typing import Any

from annotate.editing import changed_values
from annotate.editing.changed_values import CHANGEABLE_COLUMNS, checked
from fewshot import tasks
from fewshot.corpora.formats.conllu_columns import with_asked
from fewshot.corpora.recordings import Recording
from fewshot.corpora.tokenization.joining import with_following
from fewshot.corpora.tokenization.repair import named, retokenized
from fewshot.corpora.types import (
    SEPARATOR,
    UNANNOTATED,
    Answer,
    Article,
    Document,
    Example,
    Interlinear,
    Pair,
    Paragraph,
    Question,
    Record,
    Sentence,
)
from fewshot.errors import FewshotError, UnknownNameError

TYPES: dict[str, type[Any]] = {kind.__name__: kind for kind in (Sentence, Pair, Document, Article)}

EMPTY = {UNANNOTATED, -1}


class ContentError(FewshotError):
    """JSON that is neither an example nor an annotation of one."""


def to_json(example: Example) -> dict[str, Any]:
    """Return an example as JSON that `from_json` reads."""
    values: dict[str, Any] = {"type": type(example).__name__}
    for field in fields(example):  # type: ignore[arg-type]  # every example is a dataclass
        value = getattr(example, field.name)
        if isinstance(value, Record):
            values |= {"format": value.format, "lines": list(value.lines)}
            continue
        if isinstance(value, Interlinear):
            value = {"words": list(value.words), "lines": dict(value.lines)}
        if isinstance(value, Recording):
            value = asdict(value)
        if field.name == "following" and value:
            value = [to_json(sentence) for sentence in value]
        if field.name == "paragraphs":
            value = [_paragraph_json(paragraph) for paragraph in value]
        if not _is_default(field, value):
            values[field.name] = list(value) if isinstance(value, tuple) else value
    return values


def from_json(content: dict[str, Any]) -> Example:
    """Return the example that `to_json` wrote.

    Raises:
        ContentError: when the JSON is not an example.
    """
    try:
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in content.items()
        }
        kind = TYPES[values.pop("type")]
        if "lines" in values:
            values["record"] = Record(values.pop("format", "conllu"), values.pop("lines"))
        if "interlinear" in values:
            values["interlinear"] = Interlinear(tuple(values["interlinear"]["words"]), values["interlinear"]["lines"])
        if "recording" in values:
            values["recording"] = Recording(**values["recording"])
        if "following" in values:
            values["following"] = tuple(from_json(each) for each in values["following"])
        if kind is Article:
            values["paragraphs"] = tuple(_paragraph(each) for each in values["paragraphs"])
        example: Example = kind(**values)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ContentError(f"this is no example as JSON ({error})") from None
    return example


def conllu_lines(content: Mapping[str, Any]) -> Sequence[str]:
    """Return the CoNLL-U lines of an example as JSON; empty for other sources."""
    return content.get("lines", ()) if content.get("format", "conllu") == "conllu" else ()


def annotation_of(task_name: str, example: Any) -> dict[str, Any]:
    """Return the annotation of an example for one task.

    Args:
        task_name: with or without options.

    Returns:
        A key for each column, and the columns of `CHANGEABLE_COLUMNS` with changed values. ``answers`` has the settled
        questions by their id, with an empty list for a question without an answer.
    """
    annotation: dict[str, Any] = {}
    for column in _columns(task_name):
        if column == "answers":
            annotation[column] = {each.id: _answers_json(each) for each in questions(example) if each.settled}
        else:
            value = getattr(example, column)
            annotation[column] = list(value) if isinstance(value, tuple) else value
    if isinstance(example, Sentence):
        for column in CHANGEABLE_COLUMNS:
            values = getattr(example, column)
            if any(value is not None for value in values):
                annotation[column] = list(values)
    return annotation


def annotated(task_name: str, example: Any, annotation: dict[str, Any]) -> Any:
    """Return an example with an annotation in place of its own for one task; other columns stay.

    Args:
        task_name: with or without options.
        annotation: a missing column counts as not annotated.

    Raises:
        ContentError: when the annotation does not fit the example.
    """
    if not isinstance(annotation, dict):
        raise ContentError(f"the annotation for {task_name} is not a JSON object")
    try:
        if "words" in annotation:
            words, ranges = annotation["words"], annotation["ranges"]
            example = retokenized(example, words, ranges, annotation.get("ends", ()), annotation.get("joined", 0))
        if example.predicted:
            guessed = tuple(column for column in example.predicted if column not in _columns(task_name))
            example = replace(example, predicted=guessed)
        values: dict[str, Any] = {}
        for column in _columns(task_name):
            if column == "answers":
                example = _answered(example, annotation.get(column, {}))
            elif column == "label":
                label = checked(annotation.get(column, UNANNOTATED), str)
                several = tasks.get(task_name).several
                values[column] = SEPARATOR.join(sorted(label.split(SEPARATOR))) if several else label
            else:
                values[column] = _of_words(example, column, annotation.get(column, ()))
        if isinstance(example, Sentence):
            changed = [column for column in changed_values.columns(_columns(task_name)) if column in annotation]
            example = with_asked(example, changed)
            for column in changed:
                example = changed_values.with_changes(example, column, annotation[column])
        example = replace(example, **values) if values else example
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        where = getattr(example, "where", "") or getattr(example, "id", "")
        raise ContentError(f"{where}: the annotation for {task_name} does not fit ({error})") from None
    return example


def combined(original: Any, annotations: Iterable[tuple[str, Mapping[str, Any]]]) -> Any:
    """Return an example with the annotation of several tasks.

    The last annotation that names words decides the words and the number of joined sentences
    (`fewshot.corpora.tokenization.joining`).

    Args:
        original: the example as the corpus has it.
        annotations: name of the task and annotation; without the key ``words`` it is about the words of the original.

    Raises:
        ContentError: when an annotation does not fit the original.
    """
    annotations = list(annotations)
    joined = next((made.get("joined", 0) for _, made in reversed(annotations) if "words" in made), 0)
    example = with_following(original, joined) if joined else original
    for task_name, annotation in annotations:
        own = "words" in annotation and annotation.get("joined", 0) == joined
        on_words = annotation if own else carried(original, task_name, annotation, example)
        example = annotated(task_name, example, dict(on_words))
    return example


def carried(
    original: Any,
    task_name: str,
    annotation: Mapping[str, Any],
    example: Any,
    following: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return an annotation carried over to the words of another example with the same text.

    Args:
        original: the example as the corpus has it.
        task_name: with or without options.
        annotation: about the original's words, or about the words that it names.
        example: has the words of the result, which does not name them.
        following: the annotations that the next sentences of the original have already.
    """
    if not isinstance(original, Sentence):
        return dict(annotation)
    before = annotated(task_name, original, dict(annotation))
    made = annotation_of(task_name, retokenized(before, **named(example)))
    if "heads" in _columns(task_name):
        made |= changed_values.carried_corrections(before, annotation, example, following)
    return made


def with_newer_values(
    original: Any, annotation: Mapping[str, Any], newer: Iterable[tuple[str, Mapping[str, Any]]], example: Any
) -> dict[str, Any]:
    """Return an annotation with the values that newer ones of other tasks set too.

    See `changed_values.with_newer_values`.

    Args:
        original: the example as the corpus has it.
        newer: name of the task and annotation, on any words; oldest first.
        example: has the words of the annotation.
    """
    made = dict(annotation)
    for task_name, later in newer:
        made = changed_values.with_newer_values(made, carried(original, task_name, later, example))
    return made


def with_words(annotation: Mapping[str, Any], example: Any) -> dict[str, Any]:
    """Return an annotation with the key ``words``; by default the words of the example."""
    words = named(example) if isinstance(example, Sentence) and "words" not in annotation else {}
    return {**annotation, **words}


@cache  # a search calls this for each annotation of a project
def _columns(task_name: str) -> tuple[str, ...]:
    try:
        return tasks.get(task_name).columns
    except UnknownNameError as error:
        raise ContentError(f"task {task_name!r} cannot be annotated here: {error}") from None


def _is_default(field: Field[Any], value: Any) -> bool:
    """Return whether a field has this value by default, as empty columns do."""
    if field.default == () and field.name != "predicted":
        return set(value) <= EMPTY
    return bool(value == field.default)


def questions(example: Any) -> Iterator[Question]:
    """Return the questions of an example, which only an article has."""
    return (question for paragraph in getattr(example, "paragraphs", ()) for question in paragraph.questions)


def _of_words(sentence: Sentence, column: str, given: Any) -> tuple[Any, ...]:
    """Return a column of an annotation, checked against the sentence."""
    kind = int if column == "heads" else str
    values = tuple(checked(value, kind) for value in given)
    if not values and column in Sentence.asked:
        return (UNANNOTATED,) * len(sentence.words)
    if kind is int and not all(-1 <= head <= len(sentence.words) for head in values):
        raise ValueError(f"a head is not one of the {len(sentence.words)} words")
    return values


def _answered(article: Article, answers: dict[str, Any]) -> Article:
    paragraphs = (
        replace(
            paragraph,
            questions=tuple(_question(each.id, each.text, answers.get(each.id)) for each in paragraph.questions),
        )
        for paragraph in article.paragraphs
    )
    return replace(article, paragraphs=tuple(paragraphs))


def _question(key: str, text: str, values: Any) -> Question:
    """Return a question; ``values`` is None if it is not settled, empty if it has no answer."""
    if values is None:
        return Question(key, text)
    answers = (Answer(checked(value["text"], str), checked(value["start"], int)) for value in values)
    return Question(key, text, tuple(answers), impossible=not values)


def _answers_json(question: Question) -> list[dict[str, Any]]:
    return [{"text": answer.text, "start": answer.start} for answer in question.answers]


def _paragraph_json(paragraph: Paragraph) -> dict[str, Any]:
    questions = [
        {"id": each.id, "text": each.text, "answers": _answers_json(each) if each.settled else None}
        for each in paragraph.questions
    ]
    return {"context": paragraph.context, "questions": questions}


def _paragraph(values: Any) -> Paragraph:
    questions = (_question(each["id"], each["text"], each["answers"]) for each in values["questions"])
    return Paragraph(values["context"], tuple(questions))
