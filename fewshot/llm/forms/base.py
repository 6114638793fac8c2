"""What all forms have in common."""

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
    """One shape of annotation, as an object of JSON."""

    @abstractmethod
    def told(self, task: Task[E]) -> str:
        """Return what is to be done, what there is to choose from, and how to answer."""

    @abstractmethod
    def schema(self, task: Task[E], example: E) -> dict[str, Any]:
        """Return the JSON schema of answers about an example, without what some servers do not know of it."""

    @abstractmethod
    def question(self, task: Task[E], example: E) -> str:
        """Return an example as the model sees it, without its annotation."""

    @abstractmethod
    def answer(self, task: Task[E], example: E) -> dict[str, Any]:
        """Return the annotation of a confirmed example as an answer; what is not annotated is left out."""

    @abstractmethod
    def read(self, task: Task[E], example: E, answer: Mapping[str, Any]) -> E:
        """Return an example with the annotation of an answer; whether the task allows it is looked at afterwards.

        Args:
            answer: as `schema` says.

        Raises:
            AnswerError: when it is about something else, or cannot be an annotation.
        """

    def nothing(self, example: E) -> E:
        """Return an example as it is scored where no answer could be used: all of it is wrong."""
        return example.unannotated()


def record(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has all of these properties, and no others."""
    kinds = {name: kind if isinstance(kind, dict) else {"type": kind} for name, kind in properties.items()}
    return {"type": "object", "properties": kinds, "required": list(kinds), "additionalProperties": False}


def rows(least: int, most: int, **properties: Any) -> dict[str, Any]:
    """Return the schema of a list of such objects.

    Args:
        least: fewest objects.
        most: objects; without a bound small models find no end.
        properties: see `record`.
    """
    return {"type": "array", "items": record(**properties), "minItems": least, "maxItems": most}


def word_rows(sentence: Sentence, **columns: Any) -> dict[str, Any]:
    """Return the schema of a row of number, word and columns for each word of a sentence.

    Args:
        columns: see `record`.
    """
    each = len(sentence.words)
    return record(words=rows(each, each, n="integer", word="string", **columns))


def one_of(labels: Sequence[str]) -> dict[str, Any]:
    """Return the schema of a text that is one of some labels."""
    return {"type": "string", "enum": list(labels)}


def numbered(sentence: Sentence) -> str:
    """Return a sentence as it is written, then its words with their numbers, one a line."""
    lines = [f"{number} {word}" for number, word in enumerate(sentence.words, start=1)]
    text = " ".join(sentence.text.split())
    if sentence.ends:
        lines.append(f"A sentence ends after word {', '.join(map(str, [*sentence.ends, len(sentence.words)]))}.")
    return "\n".join([*([f"Text: {text}"] if text else []), *lines])


def check_rows(sentence: Sentence, found: Sequence[Mapping[str, Any]]) -> None:
    """Make sure that there is a row for each word of a sentence, in order.

    Raises:
        AnswerError: for another number of rows, another numbering, or another word.
    """
    if len(found) != len(sentence.words):
        raise AnswerError(f"there are {len(found)} rows for {len(sentence.words)} words")
    for number, (row, word) in enumerate(zip(found, sentence.words, strict=True), start=1):
        if row["n"] != number:
            raise AnswerError(f"row {number} has the number {row['n']}")
        if same(row["word"]) != same(word):
            raise AnswerError(f"row {number} is about {row['word'][:50]!r}, and word {number} is {word!r}")


def same(text: str) -> str:
    """Return what is compared of a word that a model repeats: not spaces, nor how letters and marks are composed."""
    return "".join(composed(text).split())


def plain(text: str, what: str) -> str:
    """Return a value of a column, which is one line without control characters.

    Raises:
        AnswerError: when it is none.
    """
    if any(unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") for char in text) or text != text.strip():
        raise AnswerError(f"{what} {text[:50]!r} holds a line end, a control character or a space at an end")
    return text
