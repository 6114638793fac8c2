"""The source lines of examples."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

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
