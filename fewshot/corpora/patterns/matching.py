"""Find what matches a pattern: node after node, each among the words that those before it leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Protocol, TypeAlias

from fewshot.corpora.formats import conllu
from fewshot.corpora.patterns.pattern import (
    ANY,
    COLUMNS,
    FILE,
    LABEL,
    ROOT,
    UNIVERSAL,
    Arc,
    Block,
    Comparison,
    Feature,
    Order,
    Pattern,
    Term,
)
from fewshot.corpora.types import UNANNOTATED, Sentence

Match: TypeAlias = dict[str, int]
"""The number of each node's word, from 1; 0 is the root above the words."""


class Finder(Protocol):
    """Finds the matches of a pattern."""

    def __call__(self, sentence: Sentence, most: int | None = None) -> list[Match]:
        """Return the matches in a sentence in the order of its words, at most so many of them."""


def matches(pattern: Pattern) -> Finder:
    """Return what finds the matches of a pattern in a sentence.

    Nodes are different words. The root above the words is a node only where it is the head of an arc of the pattern.
    """
    plan = _plan(pattern.block, ())
    known = pattern.nodes
    exclusions, inclusions = (
        [_plan(block, known) for block in blocks] for blocks in (pattern.exclusions, pattern.inclusions)
    )

    def find(sentence: Sentence, most: int | None = None) -> list[Match]:
        graph = _Graph(sentence)
        found = (
            {name: match[name] for name in known}
            for match in _extended(plan, graph, {})
            if all(any(_extended(one, graph, match)) for one in inclusions)
            and not any(any(_extended(one, graph, match)) for one in exclusions)
        )
        return sorted(islice(found, most), key=lambda match: [*match.values()])

    return find


class _Graph:
    """The features and arcs of a sentence; entries of lists and columns begin with the root above the words."""

    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self.size = len(sentence.words)
        self.heads = [-1, *(head if head <= self.size else -1 for head in sentence.heads)]
        self.relations = ["", *sentence.deprels]
        self.children: list[list[int]] = [[] for _ in self.heads]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)
        self._columns: dict[str, list[str | None]] = {}
        self._file: list[list[str]] | None = None

    def column(self, name: str) -> list[str | None]:
        """Return a feature of all words, None where they have it not."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self._read(name)
        return found

    def value(self, term: Term, word: int) -> str | None:
        """Return a feature of a word, or of the arc that leads to it."""
        return self.relation(word, term.feature) if term.of_arc else self.column(term.feature)[word]

    def relation(self, word: int, feature: str) -> str | None:
        """Return a feature of the arc that leads to a word."""
        label = self.relations[word]
        if self.heads[word] < 0 or label == UNANNOTATED:
            return None
        if feature == LABEL:
            return label
        universal, _, subtype = label.partition(":")
        return universal if feature == UNIVERSAL else subtype or None

    def _read(self, name: str) -> list[str | None]:
        if name == "form":
            return [ROOT, *self._sentence.words]
        if name in COLUMNS:
            values: Sequence[str] = getattr(self._sentence, COLUMNS[name])
            return [None, *(None if value == UNANNOTATED else value for value in values)]
        rows = self._rows()
        if name in FILE:
            cells = [row[FILE[name]] for row in rows]
            return [None, *(None if cell == UNANNOTATED else cell for cell in cells)]
        return [None, *(_feature(row, name) for row in rows)]

    def _rows(self) -> list[list[str]]:
        """Return what the file has of each word, under lemmas and features that are columns of the sentence.

        Of a sentence from elsewhere the file has nothing.
        """
        if self._file is None:
            cells = (line.rstrip("\r\n").split("\t") for line in self._sentence.lines)
            words = [row for row in cells if len(row) == conllu.COLUMNS and row[conllu.ID].isdecimal()]
            words = words or [[UNANNOTATED] * conllu.COLUMNS for _ in range(self.size)]
            for column, values in ((conllu.LEMMA, self._sentence.lemmas), (conllu.FEATS, self._sentence.feats)):
                for row, value in zip(words, values, strict=False):  # there are none where no task has asked for them
                    row[column] = value
            self._file = words
        return self._file


def _feature(row: Sequence[str], name: str) -> str | None:
    for column in (row[conllu.FEATS], row[conllu.MISC]):
        if name in column and (value := conllu.misc(column).get(name)) is not None:
            return value
    return None


Check: TypeAlias = Callable[[_Graph, Match], bool]


@dataclass(frozen=True, slots=True)
class _Step:
    """How one more node is found.

    Args:
        node: which.
        features: of it.
        candidates: the words that it may be, after the nodes before it.
        checks: of what can be told with this node and those before it.
    """

    node: str
    features: tuple[Feature, ...]
    candidates: Callable[[_Graph, Match], Sequence[int]]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """How the nodes of a block are found.

    Args:
        checks: of what can be told before.
        steps: a node each.
    """

    checks: tuple[Check, ...]
    steps: tuple[_Step, ...]


def _plan(block: Block, bound: Sequence[str]) -> _Plan:
    """Return how the nodes of a block are found after others."""
    known, steps = set(bound), []
    left = [name for name in block.nodes if name not in known]
    checks = [*_checks(block)]
    features = [_has_features(name, block.nodes[name]) for name in block.nodes if name in known]
    first = (*features, *_due(checks, known))
    while left:
        node = max(left, key=lambda name: (_reached(block, name, known), len(block.nodes[name]), -left.index(name)))
        candidates = _candidates(block, node, known)
        left.remove(node)
        known.add(node)
        steps.append(_Step(node, block.nodes[node], candidates, _due(checks, known)))
    return _Plan(first, tuple(steps))


def _reached(block: Block, node: str, known: set[str]) -> bool:
    """Return whether an arc leads from a node that is known to another one, or the other way."""
    return any({arc.head, arc.dependent} <= {node, *known} and node in (arc.head, arc.dependent) for arc in block.arcs)


def _candidates(block: Block, node: str, known: set[str]) -> Callable[[_Graph, Match], Sequence[int]]:
    """Return what tells which words a node may be once others are known."""
    for arc in block.arcs:
        if arc.dependent == node and arc.head in known:
            return partial(_below, arc.head)
        if arc.head == node and arc.dependent in known:
            return partial(_above, arc.dependent)
    first = 0 if any(arc.head == node for arc in block.arcs) else 1
    for order in block.orders:
        if order.second == node and order.first in known:
            return partial(_behind, order)
    return lambda graph, bound: range(first, graph.size + 1)


def _below(head: str, graph: _Graph, bound: Match) -> Sequence[int]:
    return graph.children[bound[head]]


def _above(dependent: str, graph: _Graph, bound: Match) -> Sequence[int]:
    head = graph.heads[bound[dependent]]
    return [] if head < 0 else [head]


def _behind(order: Order, graph: _Graph, bound: Match) -> Sequence[int]:
    first = bound[order.first] + 1
    return range(first, min(first + 1 if order.adjacent else graph.size + 1, graph.size + 1))


def _due(checks: list[tuple[frozenset[str], Check]], known: set[str]) -> tuple[Check, ...]:
    """Take out the checks whose nodes are all known."""
    due = tuple(check for nodes, check in checks if nodes <= known)
    checks[:] = [(nodes, check) for nodes, check in checks if not nodes <= known]
    return due


def _checks(block: Block) -> Iterator[tuple[frozenset[str], Check]]:
    """Yield each condition on several nodes, or on an arc, with the nodes that it is about."""
    for arc in block.arcs:
        yield frozenset({arc.head, arc.dependent} - {ANY}), _has_arc(arc)
    for order in block.orders:
        yield frozenset({order.first, order.second}), _in_order(order)
    for comparison in block.comparisons:
        yield frozenset({comparison.one.node, comparison.other.node}), _compared(comparison)
    for term, feature in block.tests:
        yield frozenset({term.node}), _tested(term, feature)


def _has_features(node: str, features: Sequence[Feature]) -> Check:
    return lambda graph, bound: all(one.holds(graph.column(one.name)[bound[node]]) for one in features)


def _has_arc(arc: Arc) -> Check:
    head, dependent = arc.head, arc.dependent
    if ANY not in (head, dependent):
        return lambda graph, bound: (
            graph.heads[bound[dependent]] == bound[head] and _related(arc, graph, bound[dependent])
        )
    if dependent != ANY:
        return lambda graph, bound: graph.heads[bound[dependent]] >= 0 and _related(arc, graph, bound[dependent])

    def has_any(graph: _Graph, bound: Match) -> bool:
        words = range(1, graph.size + 1) if head == ANY else graph.children[bound[head]]
        return any(graph.heads[word] >= 0 and _related(arc, graph, word) for word in words)

    return has_any


def _related(arc: Arc, graph: _Graph, word: int) -> bool:
    return all(one.holds(graph.relation(word, one.name)) for one in arc.relation)


def _in_order(order: Order) -> Check:
    first, second = order.first, order.second
    if order.adjacent:
        return lambda graph, bound: bound[first] + 1 == bound[second]
    return lambda graph, bound: bound[first] < bound[second]


def _compared(comparison: Comparison) -> Check:
    one, other, differ = comparison.one, comparison.other, comparison.differ

    def check(graph: _Graph, bound: Match) -> bool:
        value = graph.value(one, bound[one.node])
        second = graph.value(other, bound[other.node])
        return value is not None and second is not None and (value != second) == differ

    return check


def _tested(term: Term, feature: Feature) -> Check:
    return lambda graph, bound: feature.holds(graph.value(term, bound[term.node]))


def _extended(plan: _Plan, graph: _Graph, bound: Match) -> Iterator[Match]:
    """Yield what is bound, with words for the nodes of a plan in every way that matches."""
    if all(check(graph, bound) for check in plan.checks):
        yield from _stepped(plan.steps, graph, dict(bound))


def _stepped(steps: Sequence[_Step], graph: _Graph, bound: Match) -> Iterator[Match]:
    """Yield what is bound with words for more nodes: the same dict each time, to be copied by who keeps it."""
    if not steps:
        yield bound
        return
    step, rest = steps[0], steps[1:]
    columns = [(one.holds, graph.column(one.name)) for one in step.features]
    taken = frozenset(bound.values())
    for word in step.candidates(graph, bound):
        if word in taken:
            continue
        bound[step.node] = word
        for holds, column in columns:  # a loop, since all() of a generator takes longer than what it asks
            if not holds(column[word]):
                break
        else:
            for check in step.checks:
                if not check(graph, bound):
                    break
            else:
                yield from _stepped(rest, graph, bound)
    bound.pop(step.node, None)
