"""Commands that change a sentence at a match of a pattern; `rules` parses them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fewshot.corpora.documents import misc
from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.patterns.graph import Graph, Match, part
from fewshot.corpora.patterns.pattern import LABEL, UNIVERSAL, Feature, Term
from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.errors import FewshotError

VALUES = {"upos": "upos", "lemma": "lemmas", "xpos": "xpos"}
"""Columns of a sentence by feature; all other features are in FEATS."""

TREE = ("heads", "deprels")
"""Columns that arcs change."""

OPEN = "not annotated yet"


class RefusedError(FewshotError):
    """A command that is impossible at a match."""


@dataclass(frozen=True, slots=True)
class SetFeature:
    """Set a feature of a word to a value, or to that of a term; None deletes it."""

    node: str
    feature: str
    value: str | Term | None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that may change."""
        return (VALUES.get(self.feature, "feats"),)

    def apply(self, draft: Draft) -> None:
        """Change a draft."""
        word = draft.word(self.node)
        values = draft.columns[VALUES.get(self.feature, "feats")]
        if values[word - 1] == UNANNOTATED:
            raise RefusedError(OPEN)
        value = None if self.value is None else draft.value(self.value)
        if self.feature not in VALUES:
            value = _with_feature(values[word - 1], self.feature, value)
        values[word - 1] = value or ""


@dataclass(frozen=True, slots=True)
class SetRelation:
    """Set the relation of a dependent to its head, or a part of it; None deletes the part."""

    node: str
    part: str
    value: str | Term | None
    columns = TREE

    def apply(self, draft: Draft) -> None:
        """Change a draft."""
        ((head, relation),) = draft.arcs_of(self.node)
        value = "" if self.value is None else draft.value(self.value)
        universal, _, subtype = relation.partition(":")
        if self.part != LABEL:
            universal, subtype = (value, subtype) if self.part == UNIVERSAL else (universal, value)
            value = f"{universal}:{subtype}" if subtype else universal
        draft.arcs[draft.word(self.node) - 1] = [(head, value)]


@dataclass(frozen=True, slots=True)
class AddArc:
    """Add an arc with a relation, or with that of a term."""

    head: str
    dependent: str
    relation: str | Term
    columns = TREE

    def apply(self, draft: Draft) -> None:
        """Change a draft."""
        arc = draft.match[self.head], draft.value(self.relation)
        arcs = draft.arcs_of(self.dependent)
        if arc not in arcs:
            arcs.append(arc)


@dataclass(frozen=True, slots=True)
class DeleteArc:
    """Delete the arcs to a dependent, all or those from a node with a relation."""

    head: str | None
    dependent: str
    relation: tuple[Feature, ...] = ()
    columns = TREE

    def apply(self, draft: Draft) -> None:
        """Change a draft."""
        arcs = draft.arcs_of(self.dependent)
        gone = [
            (head, relation)
            for head, relation in arcs
            if (self.head is None or draft.match[self.head] == head)
            and all(feature.holds(part(relation, feature.name), Deadline()) for feature in self.relation)
        ]
        if not gone:
            raise RefusedError("the arc to delete is not there, or not any more")
        arcs[:] = [arc for arc in arcs if arc not in gone]


@dataclass(frozen=True, slots=True)
class Shift:
    """Move arcs between a node and words that are not part of the match to another node."""

    source: str
    target: str
    incoming: bool
    outgoing: bool
    columns = TREE

    def apply(self, draft: Draft) -> None:
        """Change a draft."""
        source, target = draft.match[self.source], draft.match[self.target]
        inside = {word for word in draft.match.values() if word}
        if self.outgoing:
            for word, arcs in enumerate(draft.arcs, start=1):
                if word not in inside:
                    arcs[:] = [(target if head == source else head, relation) for head, relation in arcs]
        if self.incoming:
            arcs = draft.arcs_of(self.source)
            draft.arcs_of(self.target).extend(arc for arc in arcs if arc[0] not in inside)
            arcs[:] = [arc for arc in arcs if arc[0] in inside]


Command: TypeAlias = SetFeature | SetRelation | AddArc | DeleteArc | Shift


class Draft:
    """A matched sentence that commands change; meanwhile a word may have no head, or several.

    Args:
        columns: values of the words by name.
        arcs: head and relation of the arcs to each word.
    """

    def __init__(self, sentence: Sentence, match: Match, columns: Collection[str]) -> None:
        self.match = match
        self._before = Graph(sentence)
        self._open = [head < 0 for head in sentence.heads]
        blank = (UNANNOTATED,) * len(sentence.words)
        self.columns = {name: list(getattr(sentence, name) or blank) for name in columns if name not in TREE}
        rows = zip(sentence.heads, sentence.deprels, strict=True)
        self.arcs = [[] if head < 0 else [(head, relation)] for head, relation in rows]

    def word(self, node: str) -> int:
        """Return the number of the word that a node matches; raise RefusedError for the root."""
        if not self.match[node]:
            raise RefusedError("the root is no word")
        return self.match[node]

    def arcs_of(self, node: str) -> list[tuple[int, str]]:
        """Return the arcs to a node, whose word had a head."""
        if self._open[self.word(node) - 1]:
            raise RefusedError(OPEN)
        return self.arcs[self.word(node) - 1]

    def value(self, value: str | Term) -> str:
        """Return a value, or the value of a term before any command."""
        known = value if isinstance(value, str) else self._before.value(value, self.match[value.node])
        if known is None:
            raise RefusedError("there is no value to copy")
        return known


def rewrite(sentence: Sentence, match: Mapping[str, int], commands: Sequence[Command]) -> Sentence:
    """Return a sentence that commands have changed one after the other.

    Raises:
        RefusedError: when a command is impossible, or a word would have two heads.
    """
    draft = Draft(sentence, dict(match), {column for command in commands for column in command.columns})
    for command in commands:
        command.apply(draft)
    for word, arcs in zip(sentence.words, draft.arcs, strict=True):
        if len(arcs) > 1:
            raise RefusedError(f"{word!r} would have two heads; delete one arc first")
    heads, relations = zip(*(arcs[0] if arcs else (-1, UNANNOTATED) for arcs in draft.arcs), strict=True)
    columns = {name: tuple(values) for name, values in draft.columns.items()}
    if any(command.columns == TREE for command in commands):
        columns |= {"heads": heads, "deprels": relations}
    return sentence.annotated(**columns)


def _with_feature(feats: str, name: str, value: str | None) -> str:
    """Return the features of a word with one of them set or deleted, in the order of UD."""
    values = {**misc.pairs(feats), name: value}
    return "|".join(f"{key}={values[key]}" for key in sorted(values, key=str.lower) if values[key])
