"""The base of all forms."""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from fewshot.corpora.spelling import composed
from fewshot.corpora.types import Example, Sentence
from fewshot.llm.reading import AnswerError
from fewshot.tasks import Task

E = TypeVar("E", bound=Example)


class Form(ABC, Generic[E]):
    """The JSON form of the annotations of a task."""

    def __init__(self, task: Task[E]) -> None:
        self.task = task

    @abstractmethod
    def instructions(self) -> str:
        """Return the instructions: what to do, the labels, and the form of an answer."""

    @abstractmethod
    def schema(self, example: E) -> dict[str, Any]:
        """Return the JSON schema of answers about an example, limited to what all servers support."""

    @abstractmethod
    def question(self, example: E) -> str:
        """Return an example as the model sees it, without its annotation."""

    @abstractmethod
    def answer(self, example: E) -> dict[str, Any]:
        """Return the annotation of a confirmed example as an answer, without what is not annotated."""

    @abstractmethod
    def read(self, example: E, answer: Mapping[str, Any]) -> E:
        """Return an example with the annotation of an answer, which the task checks afterwards.

        Args:
            answer: valid by `schema`.

        Raises:
            AnswerError: for an answer about another example, or one that is no annotation.
        """

    def unanswered(self, example: E) -> E:
        """Return an example whose annotation is scored as wrong in all parts."""
        return example.unannotated()


def record(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    kinds = {name: kind if isinstance(kind, dict) else {"type": kind} for name, kind in properties.items()}
    return {"type": "object", "properties": kinds, "required": list(kinds), "additionalProperties": False}


def rows(least: int, most: int, **properties: Any) -> dict[str, Any]:
    """Return the schema of a list of objects.

    Args:
        most: maximum number of objects, without which small models do not stop.
        properties: see `record`.
    """
    return {"type": "array", "items": record(**properties), "minItems": least, "maxItems": most}


def word_rows(sentence: Sentence, **columns: Any) -> dict[str, Any]:
    """Return the schema of a row for each word of a sentence: number, word and columns, see `record`."""
    each = len(sentence.words)
    return record(words=rows(each, each, n="integer", word="string", **columns))


def one_of(labels: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a text that is one of some labels."""
    return {"type": "string", "enum": list(labels)}


def numbered(sentence: Sentence) -> str:
    """Return the text of a sentence, then its words with their numbers, one per line."""
    lines = [f"{number} {word}" for number, word in enumerate(sentence.words, start=1)]
    text = " ".join(sentence.text.split())
    if sentence.ends:
        lines.append(f"A sentence ends after word {', '.join(map(str, [*sentence.ends, len(sentence.words)]))}.")
    return "\n".join([*([f"Text: {text}"] if text else []), *lines])


def check_rows(sentence: Sentence, rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise `AnswerError` unless there is a row for each word of a sentence, in order."""
    if len(rows) != len(sentence.words):
        raise AnswerError(f"there are {len(rows)} rows for {len(sentence.words)} words")
    for number, (row, word) in enumerate(zip(rows, sentence.words, strict=True), start=1):
        if row["n"] != number:
            raise AnswerError(f"row {number} has the number {row['n']}")
        if comparable(row["word"]) != comparable(word):
            raise AnswerError(f"row {number} is about {row['word'][:50]!r}, and word {number} is {word!r}")


def comparable(text: str) -> str:
    """Return a text without spaces and with composed characters, to compare a word that a model repeats."""
    return "".join(composed(text).split())


def known_label(label: str, choices: Sequence[str]) -> str:
    """Return the choice that a label is, in any spelling (NFC, NFD); the label itself where it is none."""
    return next((known for known in choices if composed(known) == composed(label)), label)


def plain(text: str, what: str) -> str:
    """Return a value of a column; `AnswerError` for control characters, line ends, or spaces at an end."""
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") for char in text) or text != text.strip():
        raise AnswerError(f"{what} {text[:50]!r} holds a line end, a control character or a space at an end")
    return text
