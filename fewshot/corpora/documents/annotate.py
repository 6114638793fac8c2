"""Annotate words: other MISC, and other heads and relations, which the tree's arcs in DEPS follow."""

from __future__ import annotations

from dataclasses import replace

from fewshot.corpora.documents import deps
from fewshot.corpora.documents.cells import UNANNOTATED, arcs, items
from fewshot.corpora.documents.model import OPEN, AnyWord, Word


def attach(word: Word, head: int, deprel: str) -> Word:
    """Return a word with another head and relation; the arc of the tree in DEPS follows."""
    if (head, deprel) == (word.head, word.deprel):
        return word
    return replace(
        word, head=head, deprel=deprel, deps=arcs(deps.resolve(relative_deps(word), head_cell(head), deprel))
    )


def with_misc(word: AnyWord, column: str) -> AnyWord:
    """Return a word with another MISC column."""
    return word if column == word.misc.text else replace(word, misc=items(column))


def relative_deps(word: Word) -> str:
    """Return DEPS of a word relative to the arc of the tree, see `fewshot.corpora.documents.deps`."""
    return deps.make_relative(word.deps.text, head_cell(word.head), word.deprel)


def head_cell(head: int) -> str:
    """Return a head as written in CoNLL-U."""
    return UNANNOTATED if head == OPEN else str(head)
