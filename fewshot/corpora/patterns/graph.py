"""The view of a sentence that patterns search: features of words, and arcs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from fewshot.corpora.documents import misc, rows
from fewshot.corpora.formats.conllu_columns import CELLS, word_cells
from fewshot.corpora.iob import to_iob2
from fewshot.corpora.patterns.pattern import COLUMNS, ENTITY, FILE, LABEL, ROOT, UNIVERSAL, Term
from fewshot.corpora.types import UNANNOTATED, Sentence

Match: TypeAlias = dict[str, int]
"""The word number of each node, from 1; 0 is the root."""

ARC = "->"
"""Name of the column of relations to the head."""


class Graph:
    """The features and arcs of a sentence; index 0 of lists and columns is the root."""

    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self.size = len(sentence.words)
        self.heads = [-1, *sentence.heads]
        if max(self.heads) > self.size:
            self.heads = [head if head <= self.size else -1 for head in self.heads]
        self._columns: dict[str, list[str | None]] = {}
        self._places: dict[Term, Mapping[str, list[int]]] = {}

    @cached_property
    def children(self) -> list[list[int]]:
        """The dependents of each word."""
        children: list[list[int]] = [[] for _ in self.heads]
        for word, head in enumerate(self.heads):
            if head >= 0:
                children[head].append(word)
        return children

    def column(self, name: str) -> list[str | None]:
        """Return a feature of all words, None for words without it; `ARC`: the relations to their heads."""
        values = self._columns.get(name)
        if values is None:
            values = self._columns[name] = self._read(name)
        return values

    def value(self, term: Term, word: int) -> str | None:
        """Return a feature of a word, or of the arc to its head."""
        return part(self.column(ARC)[word], term.feature) if term.of_arc else self.column(term.feature)[word]

    def places(self, term: Term) -> Mapping[str, list[int]]:
        """Return the words with each value of a feature."""
        places = self._places.get(term)
        if places is None:
            places = self._places[term] = {}
            for word in range(self.size + 1):
                if (value := self.value(term, word)) is not None:
                    places.setdefault(value, []).append(word)
        return places

    def _read(self, name: str) -> list[str | None]:
        if name == "form":
            return [ROOT, *self._sentence.words]
        if name == ARC:
            pairs = zip(self.heads[1:], self._sentence.deprels, strict=True)
            relations = (None if head < 0 or relation == UNANNOTATED else relation for head, relation in pairs)
            return [None, *relations]
        if name in COLUMNS:
            values: Sequence[str] = getattr(self._sentence, COLUMNS[name])
            values = to_iob2(values) if name == ENTITY else values
            return [None, *(None if value == UNANNOTATED else value for value in values)]
        if name in FILE:
            cells = [row[FILE[name]] for row in self._rows]
            return [None, *(None if cell == UNANNOTATED else cell for cell in cells)]
        return [None, *(_feature(row, name) for row in self._rows)]

    @cached_property
    def _rows(self) -> list[list[str]]:
        """The CoNLL-U columns of each word, with edited MISC and asked columns; blank without a file."""
        words = word_cells(self._sentence.lines) or [[UNANNOTATED] * rows.COLUMNS for _ in range(self.size)]
        for row, value in zip(words, self._sentence.misc, strict=False):  # empty without edits
            row[rows.MISC] = misc.replace_editable(row[rows.MISC], value)
        for name, column in CELLS.items():
            for row, value in zip(words, getattr(self._sentence, name), strict=False):  # empty if not asked for
                row[column] = value
        return words


def _feature(row: Sequence[str], name: str) -> str | None:
    for column in (row[rows.FEATS], row[rows.MISC]):
        if name in column and (value := misc.pairs(column).get(name)) is not None:
            return value
    return None


def part(relation: str | None, feature: str) -> str | None:
    """Return a feature of an arc: its relation, or the part before or after the colon."""
    if relation is None or feature == LABEL:
        return relation
    universal, _, subtype = relation.partition(":")
    return universal if feature == UNIVERSAL else subtype or None
