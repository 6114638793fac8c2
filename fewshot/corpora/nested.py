"""Nested entities (`fewshot.corpora.iob`) where they are not allowed, learned or written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fewshot.corpora import iob
from fewshot.corpora.files import Report, fail
from fewshot.corpora.types import Sentence
from fewshot.errors import CorpusError, listed

if TYPE_CHECKING:
    from fewshot.corpora.formats.format import Format

ALLOW = "keep one of the two, or allow nested entities in the settings of the project (a new one: --nested)"
"""What to do about nested entities in a file for a project without them."""


def inner(example: Any) -> list[str]:
    """Return the words and the type of each entity that is inside another one: ``Dakar (LOC)``."""
    if not isinstance(example, Sentence) or len(iob.layers(example.entities)) == 1:
        return []
    outer = set(iob.spans(iob.outermost(example.entities)))
    spans = (span for span in iob.spans(example.entities) if span not in outer)
    return [f"{' '.join(example.words[first:end])} ({kind})" for first, end, kind in spans]


def outermost(example: Any) -> Any:
    """Return an example without the entities that are inside another one."""
    return example.annotated(entities=iob.outermost(example.entities)) if inner(example) else example


def left_out(format_: Format, inner: Sequence[str]) -> str:
    """Return the message that a file lacks entities that its format cannot hold, see `inner`."""
    return f"{format_.title} has no place for entities inside others: {len(inner):,} left out, {listed(inner, 5)}"


def flat(examples: Iterable[Any], report: Report = fail) -> Iterator[Any]:
    """Yield the examples without nested entities, and report the others."""
    for example in examples:
        if names := inner(example):
            report(CorpusError(f"{names[0]} overlaps another entity; {ALLOW}", example.where or example.id))
        else:
            yield example
