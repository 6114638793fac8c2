"""The interface of examples, and the lines of the files that they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Protocol, Self

from fewshot.corpora.documents.conllu import lines_of, parse
from fewshot.corpora.documents.model import ConlluSentence

_parsed = lru_cache(maxsize=1000)(parse)  # editors ask for the same sentence again and again


@dataclass(frozen=True, slots=True)
class Record:
    """The source lines of an example: writers start from them and change only the annotation.

    Args:
        format: name of the file's format, see `fewshot.corpora.formats`.
        lines: of the file, with line ends and following blank lines; JSON texts in formats without a line per example.
        origin: the record of the file, when the words were repaired since, which made this record CoNLL-U.
    """

    format: str
    lines: tuple[str, ...]
    origin: Record | None = None
    _sentence: ConlluSentence | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, sentence: ConlluSentence, origin: Record | None = None) -> Record:
        """Return the record of a sentence of the document model, as CoNLL-U."""
        return cls("conllu", tuple(lines_of(sentence)), origin, sentence)

    @property
    def sentence(self) -> ConlluSentence:
        """The sentence that lines of CoNLL-U describe."""
        return self._sentence or _parsed(self.lines)


class Example(Protocol):
    """An example that can be sampled, annotated and learned from."""

    kind: ClassVar[str]
    """The name of several of them, such as ``sentences``."""
    columns: ClassVar[tuple[str, ...]]
    """Names of the columns that can be annotated."""

    @property
    def record(self) -> Record | None:
        """The source lines; None for raw text and examples without a file."""

    @property
    def predicted(self) -> tuple[str, ...]:
        """Columns that a model has filled and nobody has annotated since."""

    @property
    def begun(self) -> bool:
        """Whether the file marks the annotation as begun and not finished, see `documents.cells.BEGUN`."""

    @property
    def id(self) -> str:
        """Unique within its corpus."""

    @property
    def where(self) -> str:
        """``file:line``, for messages; empty where there is none."""

    @property
    def length(self) -> int:
        """Size in tokens, used by the length filter, the length samplers and token prices."""

    @property
    def key(self) -> tuple[str, ...]:
        """The texts that make two examples equal, each `composed`; used to remove duplicates."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """Texts that pool and test set must not share: the words, the premise, the paragraphs."""

    @property
    def content(self) -> tuple[Any, ...]:
        """Text and annotation, from which a corpus' fingerprint is computed."""

    def unannotated(self) -> Self:
        """Return a copy without annotation, as shown to annotators."""


def file_lines(example: Example, format: str) -> tuple[str, ...]:
    """Return the lines of an example's record; empty when it is from another format."""
    return example.record.lines if example.record and example.record.format == format else ()


def original_lines(example: Example, format: str) -> tuple[str, ...]:
    """Return the lines of the file as `file_lines`, also after the words of the example were repaired."""
    record = example.record.origin if example.record and example.record.origin else example.record
    return record.lines if record and record.format == format else ()
