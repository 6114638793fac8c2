"""Examples and annotations as JSON: what the store keeps and the editors send.

A column that nobody has annotated is left out. Offsets of answers are in code points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, asdict, fields, replace
from functools import cache
from typing import Any

from fewshot import tasks
from fewshot.corpora.formats import deps, misc
from fewshot.corpora.recordings import Recording
from fewshot.corpora.tokenization.joining import with_following
from fewshot.corpora.tokenization.repair import named, nodes_of, ranges_of, retokenized
from fewshot.corpora.types import (
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
from fewshot.corpora.upos import UPOS
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.tasks.pos import UPOS_COLUMN

TYPES: dict[str, type[Any]] = {kind.__name__: kind for kind in (Sentence, Pair, Document, Article)}

EMPTY = {UNANNOTATED, -1}

BESIDE = ("misc", "deps")
"""What an annotation of words may hold beside the columns of its task: for each word what somebody has changed, None
where that is as the file has it, or as another task has it."""


class ContentError(FewshotError):
    """JSON that is no example, or no annotation of one."""


def to_json(example: Example) -> dict[str, Any]:
    """Return an example as JSON, with everything that `from_json` needs to make it again."""
    found: dict[str, Any] = {"type": type(example).__name__}
    for field in fields(example):  # type: ignore[arg-type]  # every example is a dataclass
        value = getattr(example, field.name)
        if isinstance(value, Record):
            found |= {"format": value.format, "lines": list(value.lines)}
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
            found[field.name] = list(value) if isinstance(value, tuple) else value
    return found


def from_json(content: dict[str, Any]) -> Example:
    """Return the example of a JSON.

    Raises:
        ContentError: when this is no JSON of an example.
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


def annotation_of(task_name: str, example: Any) -> dict[str, Any]:
    """Return what an example holds of a task's annotation.

    Args:
        task_name: with or without options.
        example: of the task's type.

    Returns:
        One key a column, and those of `BESIDE` that somebody has changed; ``answers`` has the questions that are
        settled, by their id: none for one without an answer.
    """
    found: dict[str, Any] = {}
    for column in _columns(task_name):
        if column == "answers":
            found[column] = {each.id: _answers_json(each) for each in _questions(example) if each.settled}
        else:
            value = getattr(example, column)
            found[column] = list(value) if isinstance(value, tuple) else value
    if isinstance(example, Sentence):
        for column in BESIDE:
            values = getattr(example, column)
            if any(value is not None for value in values):
                found[column] = list(values)
    return found


def annotated(task_name: str, example: Any, annotation: dict[str, Any]) -> Any:
    """Return an example with somebody's annotation in place of its own of this task; other columns stay.

    Args:
        task_name: with or without options.
        example: of the task's type.
        annotation: a column that it lacks is one that nobody has annotated.

    Raises:
        ContentError: when the annotation does not fit the example.
    """
    if not isinstance(annotation, dict):
        raise ContentError(f"the annotation for {task_name} is no JSON object")
    try:
        if "words" in annotation:
            words, ranges = annotation["words"], annotation["ranges"]
            example = retokenized(example, words, ranges, annotation.get("ends", ()), annotation.get("joined", 0))
        if example.predicted:
            guessed = tuple(column for column in example.predicted if column not in _columns(task_name))
            example = replace(example, predicted=guessed)
        values: dict[str, Any] = {}
        if "words" in annotation and UPOS_COLUMN in annotation and UPOS_COLUMN not in _columns(task_name):
            values[UPOS_COLUMN] = tuple(_checked_tag(tag) for tag in annotation[UPOS_COLUMN])  # of repaired words
        for column in _columns(task_name):
            if column == "answers":
                example = _answered(example, annotation.get(column, {}))
            elif column == "label":
                values[column] = _checked(annotation.get(column, UNANNOTATED), str)
            else:
                values[column] = _of_words(example, column, annotation.get(column, ()))
        if isinstance(example, Sentence):
            values |= {column: _over(example, column, annotation[column]) for column in BESIDE if column in annotation}
        example = replace(example, **values) if values else example
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        where = getattr(example, "where", "") or getattr(example, "id", "")
        raise ContentError(f"{where}: the annotation for {task_name} does not fit ({error})") from None
    return example


def combined(original: Any, annotations: Iterable[tuple[str, Mapping[str, Any]]]) -> Any:
    """Return an example with the annotation of several tasks, on the words of the last one that repaired them.

    It is joined with as many sentences as that one, see `fewshot.corpora.tokenization.joining`.

    Args:
        original: the example as the corpus has it.
        annotations: name of the task and annotation; one without words is about those of the original.

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


def carried(original: Any, task_name: str, annotation: Mapping[str, Any], example: Any) -> dict[str, Any]:
    """Return an annotation on the words of another example, which has the original's text in repaired words.

    Args:
        original: the example as the corpus has it.
        task_name: with or without options.
        annotation: of the original's words, or of words of its own.
        example: whose words the result is about; it names none itself.
    """
    if not isinstance(original, Sentence):
        return dict(annotation)
    before = annotated(task_name, original, dict(annotation))
    return annotation_of(
        task_name, retokenized(before, example.words, ranges_of(example), example.ends, example.joined)
    )


def with_words(annotation: Mapping[str, Any], example: Any) -> dict[str, Any]:
    """Return an annotation that names the words it is about: the example's where it names none."""
    words = named(example) if isinstance(example, Sentence) and "words" not in annotation else {}
    return {**annotation, **words}


def fault(sentence: Sentence, column: str, value: str) -> str:
    """Return why something cannot stand in a column of `BESIDE` of a word of a sentence; empty where it can."""
    if column == "misc":
        return misc.fault(value)
    ids = [str(number) for number in range(len(sentence.words) + 1)]
    return deps.fault(value, [*ids, *(id for id, _, _ in nodes_of(sentence))])


def with_all(annotations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the first of some annotations on the same words, with what others have changed beside its columns."""
    found = dict(annotations[0])
    for column in BESIDE:
        said = [one[column] for one in annotations if column in one]
        if said:
            rows = zip(*said, strict=True)
            found[column] = [next((value for value in row if value is not None), None) for row in rows]
    return found


@cache  # a search asks for them once for each annotation of a project
def _columns(task_name: str) -> tuple[str, ...]:
    try:
        return tasks.get(task_name).columns
    except UnknownNameError as error:
        raise ContentError(f"task {task_name!r} cannot be annotated here: {error}") from None


def _is_default(field: Field[Any], value: Any) -> bool:
    """Return whether a field gets this value without being given it: columns fill themselves."""
    if field.default == () and field.name != "predicted":
        return set(value) <= EMPTY
    return bool(value == field.default)


def _questions(article: Article) -> Iterator[Question]:
    return (question for paragraph in article.paragraphs for question in paragraph.questions)


def _of_words(sentence: Sentence, column: str, given: Any) -> tuple[Any, ...]:
    """Return a column of an annotation, which may be none of a sentence."""
    kind = int if column == "heads" else str
    values = tuple(_checked(value, kind) for value in given)
    if not values and column in Sentence.asked:  # where others would be left as they are in the file
        return (UNANNOTATED,) * len(sentence.words)
    if kind is int and not all(-1 <= head <= len(sentence.words) for head in values):
        raise ValueError(f"a head is no word of the {len(sentence.words)}")
    return values


def _over(sentence: Sentence, column: str, given: Any) -> tuple[str | None, ...]:
    """Return a column of `BESIDE` with what an annotation says of some words in place of what was there."""
    before = getattr(sentence, column) or (None,) * len(sentence.words)
    values = [value if value is None else _checked(value, str) for value in given]
    for value in values:
        if value is not None and (wrong := fault(sentence, column, value)):
            raise ValueError(wrong)
    made = tuple(old if new is None else new for old, new in zip(before, values, strict=True))
    return made if any(value is not None for value in made) else ()


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
    """Return a question; its answers are None where it is not settled, an empty list where it has none."""
    if values is None:
        return Question(key, text)
    answers = (Answer(_checked(value["text"], str), _checked(value["start"], int)) for value in values)
    return Question(key, text, tuple(answers), impossible=not values)


def _checked_tag(value: Any) -> str:
    if value not in (UNANNOTATED, *UPOS):
        raise ValueError(f"{str(value)[:40]!r} is no UPOS")
    return str(value)


def _checked(value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{str(value)[:40]!r} is no {kind.__name__}")
    return value


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
