"""Plan the order in which the nodes of a pattern are matched: most restricted nodes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.patterns.graph import ARC, Graph, Match, part
from fewshot.corpora.patterns.pattern import ANY, ArcClause, Block, Comparison, Feature, Order, Term

Check: TypeAlias = Callable[[Graph, Match], bool]
Candidates: TypeAlias = Callable[[Graph, Match], Sequence[int]]

ONE, SEVERAL, MANY, ALL = 3, 2, 1, 0
"""How far known nodes restrict the next one: ``SEVERAL``: same head or value; ``MANY``: one side."""

CLOSED = frozenset({"upos", "xpos", "NER"})
"""Features with few values, each of which many words share."""


class Condition(dict[str | None, bool]):
    """Cache whether a condition holds for a value, since words and tags repeat.

    Args:
        column: name for `Graph.column`.
        holds: the condition.
    """

    def __init__(self, column: str, holds: Callable[[str | None], bool]) -> None:
        super().__init__()
        self.column = column
        self._holds = holds

    def __missing__(self, value: str | None) -> bool:
        self[value] = self._holds(value)
        return self[value]


@dataclass(frozen=True, slots=True)
class Step:
    """How the next node is matched.

    Args:
        candidates: returns the words it may be, given the earlier nodes.
        conditions: on the node alone.
        checks: on this node and earlier ones.
    """

    node: str
    candidates: Candidates
    conditions: tuple[Condition, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """How the nodes of a block are matched.

    Args:
        checks: before the first step.
        steps: one per node.
    """

    checks: tuple[Check, ...]
    steps: tuple[Step, ...]


def plan(block: Block, bound: Sequence[str], deadline: Deadline) -> MatchPlan:
    """Return a plan to match the nodes of a block after other nodes.

    The next node is one that an arc, its position, or the value of a feature ties to known nodes; else the one with the
    most selective conditions.
    """
    known, steps = set(bound), []
    left = [name for name in block.nodes if name not in known]
    checks = [*_checks(block, deadline)]
    features = [
        _meets(name, condition)
        for name in block.nodes
        if name in known
        for condition in _conditions(block, name, deadline)
    ]
    first = (*features, *_take_due(checks, known))
    while left:
        rest = tuple(left)
        node = max(rest, key=lambda name: (*_rank(block, name, known), -rest.index(name)))
        _, candidates = max(_ways(block, node, known), key=lambda way: way[0])
        left.remove(node)
        known.add(node)
        steps.append(Step(node, candidates, tuple(_conditions(block, node, deadline)), _take_due(checks, known)))
    return MatchPlan(first, tuple(steps))


def _rank(block: Block, node: str, known: set[str]) -> tuple[int, int, int, int]:
    """Return how suitable a node is to be matched next; higher is better."""
    way = max(way for way, _ in _ways(block, node, known))
    features = [*block.nodes[node], *(feature for term, feature in block.tests if term.node == node)]
    features += [feature for arc in block.arcs if arc.dependent == node for feature in arc.relation]
    pairs = [(arc.head, arc.dependent) for arc in block.arcs] + [(order.first, order.second) for order in block.orders]
    pairs += [(each.left.node, each.right.node) for each in block.comparisons]
    return way if way >= SEVERAL else ALL, sum(map(_selectivity, features)), way, sum(node in pair for pair in pairs)


def _selectivity(feature: Feature) -> int:
    if feature.values is None or feature.values.negated:
        return 1
    if feature.values.expressions:
        return 2
    return 3 if feature.name in CLOSED else 4


def _ways(block: Block, node: str, known: set[str]) -> Iterator[tuple[int, Candidates]]:
    """Yield (restriction, candidates) for each way to find a node from known nodes."""
    first = 0 if any(arc.head == node for arc in block.arcs) else 1
    yield ALL, lambda graph, bound: range(first, graph.size + 1)
    for arc in block.arcs:
        if arc.head == node and arc.dependent in known:
            yield ONE, partial(_above, arc.dependent)
        if arc.dependent == node and arc.head in known:
            yield SEVERAL, partial(_below, arc.head)
    for order in block.orders:
        way = ONE if order.adjacent else MANY
        if order.second == node and order.first in known:
            yield way, partial(_behind, order)
        if order.first == node and order.second in known:
            yield way, partial(_before, order, first)
    for comparison in block.comparisons:
        for own, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            if own.node == node and other.node in known and not comparison.differ:
                yield SEVERAL, partial(_same, own, other, first)


def _below(head: str, graph: Graph, bound: Match) -> Sequence[int]:
    return graph.children[bound[head]]


def _above(dependent: str, graph: Graph, bound: Match) -> Sequence[int]:
    head = graph.heads[bound[dependent]]
    return [] if head < 0 else [head]


def _behind(order: Order, graph: Graph, bound: Match) -> Sequence[int]:
    first = bound[order.first] + 1
    return range(first, min(first + 1 if order.adjacent else graph.size + 1, graph.size + 1))


def _before(order: Order, first: int, graph: Graph, bound: Match) -> Sequence[int]:
    end = bound[order.second]
    return range(max(end - 1 if order.adjacent else first, first), end)


def _same(own: Term, known: Term, first: int, graph: Graph, bound: Match) -> Sequence[int]:
    value = graph.value(known, bound[known.node])
    return [] if value is None else [word for word in graph.places(own).get(value, ()) if word >= first]


def _conditions(block: Block, node: str, deadline: Deadline) -> Iterator[Condition]:
    """Yield the conditions on a node alone, and on the arc to its head."""
    for feature in block.nodes[node]:
        yield Condition(feature.name, partial(feature.holds, deadline=deadline))
    for arc in block.arcs:
        if arc.dependent == node and arc.relation:
            yield Condition(ARC, partial(_related, arc, deadline))
    for term, feature in block.tests:
        if term.node == node:
            yield Condition(ARC, partial(_tested, term, feature, deadline))


def _related(arc: ArcClause, deadline: Deadline, relation: str | None) -> bool:
    return all(feature.holds(part(relation, feature.name), deadline) for feature in arc.relation)


def _tested(term: Term, feature: Feature, deadline: Deadline, relation: str | None) -> bool:
    return feature.holds(part(relation, term.feature), deadline)


def _meets(node: str, condition: Condition) -> Check:
    return lambda graph, bound: condition[graph.column(condition.column)[bound[node]]]


def _take_due(checks: list[tuple[frozenset[str], Check]], known: set[str]) -> tuple[Check, ...]:
    due = tuple(check for nodes, check in checks if nodes <= known)
    checks[:] = [(nodes, check) for nodes, check in checks if not nodes <= known]
    return due


def _checks(block: Block, deadline: Deadline) -> Iterator[tuple[frozenset[str], Check]]:
    """Yield each condition on several nodes, or on an arc to or from any word, with its nodes."""
    for arc in block.arcs:
        yield frozenset({arc.head, arc.dependent} - {ANY}), _has_arc(arc, deadline)
    for order in block.orders:
        yield frozenset({order.first, order.second}), _in_order(order)
    for comparison in block.comparisons:
        yield frozenset({comparison.left.node, comparison.right.node}), _compared(comparison)


def _has_arc(arc: ArcClause, deadline: Deadline) -> Check:
    """Return a check that an arc exists; `_conditions` checks the relation where its dependent is a node."""
    head, dependent = arc.head, arc.dependent
    if ANY not in (head, dependent):
        return lambda graph, bound: graph.heads[bound[dependent]] == bound[head]
    if dependent != ANY:
        return lambda graph, bound: graph.heads[bound[dependent]] >= 0
    related = Condition(ARC, partial(_related, arc, deadline))

    def has_any(graph: Graph, bound: Match) -> bool:
        words = range(1, graph.size + 1) if head == ANY else graph.children[bound[head]]
        relations = graph.column(ARC)
        return any(graph.heads[word] >= 0 and related[relations[word]] for word in words)

    return has_any


def _in_order(order: Order) -> Check:
    first, second = order.first, order.second
    if order.adjacent:
        return lambda graph, bound: bound[first] + 1 == bound[second]
    return lambda graph, bound: bound[first] < bound[second]


def _compared(comparison: Comparison) -> Check:
    left, right, differ = comparison.left, comparison.right, comparison.differ

    def check(graph: Graph, bound: Match) -> bool:
        value = graph.value(left, bound[left.node])
        second = graph.value(right, bound[right.node])
        return value is not None and second is not None and (value != second) == differ

    return check
