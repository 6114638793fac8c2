"""Texts with a label, pairs of texts and documents, and articles with questions and answers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from fewshot.corpora.documents.cells import UNANNOTATED
from fewshot.corpora.spelling import composed
from fewshot.corpora.types.example import Record
from fewshot.corpora.words import words

SEPARATOR = "|"
"""Stands between several labels of a text."""


@dataclass(frozen=True)
class Pair:
    """Two texts and the relation of the second to the first.

    Args:
        label: ``entailment``, ``neutral`` or ``contradiction``, or a user's class.
    """

    id: str
    premise: str
    hypothesis: str
    label: str = UNANNOTATED
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    begun: bool = field(default=False, repr=False, compare=False)
    kind: ClassVar[str] = "pairs"
    columns: ClassVar[tuple[str, ...]] = ("label",)

    @cached_property
    def length(self) -> int:
        """Number of words of both texts."""
        return len(words(self.premise)) + len(words(self.hypothesis))

    @property
    def key(self) -> tuple[str, ...]:
        """Both texts, `composed`, without surrounding spaces."""
        return composed(self.premise.strip()), composed(self.hypothesis.strip())

    @property
    def parts(self) -> tuple[Any, ...]:
        """The premise, which several pairs may share."""
        return (composed(self.premise.strip()),)

    @property
    def content(self) -> tuple[Any, ...]:
        """Both texts and the label."""
        return self.premise, self.hypothesis, self.label

    def unannotated(self) -> Pair:
        """Return a copy without the label."""
        return replace(self, label=UNANNOTATED, predicted=(), begun=False)


@dataclass(frozen=True)
class Document:
    """A text and its topic, or several topics, joined by `SEPARATOR`."""

    id: str
    text: str
    label: str = UNANNOTATED
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    begun: bool = field(default=False, repr=False, compare=False)
    kind: ClassVar[str] = "documents"
    columns: ClassVar[tuple[str, ...]] = ("label",)

    @cached_property
    def length(self) -> int:
        """Number of words."""
        return len(words(self.text))

    @property
    def key(self) -> tuple[str, ...]:
        """The text, `composed`, without surrounding spaces."""
        return (composed(self.text.strip()),)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The text."""
        return self.key

    @property
    def content(self) -> tuple[Any, ...]:
        """The text and the label."""
        return self.text, self.label

    def unannotated(self) -> Document:
        """Return a copy without the label."""
        return replace(self, label=UNANNOTATED, predicted=(), begun=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """A span of a paragraph, from the character at index ``start``."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a paragraph.

    Args:
        id: unique within the corpus.
        answers: all correct answers; empty when nobody has answered.
        impossible: whether the paragraph holds no answer, as in SQuAD 2.0.
    """

    id: str
    text: str
    answers: tuple[Answer, ...] = ()
    impossible: bool = field(default=False, repr=False)

    @property
    def settled(self) -> bool:
        """Whether the question is answered or marked as impossible."""
        return bool(self.answers) or self.impossible


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph and the questions about it."""

    context: str
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Article:
    """The paragraphs of one article: drawn, split and counted as one unit, since its questions are alike.

    Args:
        id: title.
        lang: language code, which decides the articles and punctuation that scoring ignores; empty when unknown.
    """

    id: str
    paragraphs: tuple[Paragraph, ...]
    lang: str = ""
    where: str = field(default="", repr=False, compare=False)
    record: Record | None = field(default=None, repr=False, compare=False)
    predicted: tuple[str, ...] = field(default=(), repr=False, compare=False)
    begun: bool = field(default=False, repr=False, compare=False)
    kind: ClassVar[str] = "articles"
    columns: ClassVar[tuple[str, ...]] = ("answers",)

    @cached_property
    def length(self) -> int:
        """Number of words of the paragraphs."""
        return sum(len(words(paragraph.context)) for paragraph in self.paragraphs)

    @property
    def key(self) -> tuple[str, ...]:
        """The texts of the paragraphs, each `composed`."""
        return tuple(composed(paragraph.context) for paragraph in self.paragraphs)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The texts of the paragraphs."""
        return self.key

    @property
    def content(self) -> tuple[Any, ...]:
        """Paragraphs, questions and answers."""
        return (self.paragraphs,)

    def unannotated(self) -> Article:
        """Return a copy with the questions, without their answers."""
        blank = (
            replace(paragraph, questions=tuple(Question(asked.id, asked.text) for asked in paragraph.questions))
            for paragraph in self.paragraphs
        )
        return replace(self, paragraphs=tuple(blank), predicted=(), begun=False)
