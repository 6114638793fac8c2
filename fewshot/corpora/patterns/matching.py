"""Match a pattern by backtracking: node after node, each among the words that earlier nodes allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from fewshot.corpora.patterns.deadline import Deadline
from fewshot.corpora.patterns.graph import Graph, Match
from fewshot.corpora.patterns.pattern import Pattern
from fewshot.corpora.patterns.planning import MatchPlan, Step, plan
from fewshot.corpora.types import Sentence


class Finder(Protocol):
    """A function that returns the matches of a pattern."""

    def __call__(self, sentence: Sentence, most: int | None = None) -> list[Match]:
        """Return at most ``most`` matches in a sentence, in word order."""


def matches(pattern: Pattern, deadline: Deadline | None = None) -> Finder:
    """Return a function that finds the matches of a pattern in a sentence.

    The root is a node only where it is the head of an arc of the pattern.

    Args:
        deadline: end of the search; for the sentence in which it falls, the matches so far are returned.
    """
    return _Search(pattern, deadline or Deadline()).find


class _Search:
    def __init__(self, pattern: Pattern, deadline: Deadline) -> None:
        self._deadline = deadline
        self._known = pattern.nodes
        self._plan = plan(pattern.block, (), deadline)
        self._exclusions, self._inclusions = (
            [plan(block, self._known, deadline) for block in blocks]
            for blocks in (pattern.exclusions, pattern.inclusions)
        )

    def find(self, sentence: Sentence, most: int | None = None) -> list[Match]:
        matches: list[Match] = []
        try:
            for match in islice(self._matches(Graph(sentence)), most):
                matches.append({name: match[name] for name in self._known})
        except TimeoutError:
            self._deadline.end()
        return sorted(matches, key=lambda match: [*match.values()])

    def _matches(self, graph: Graph) -> Iterator[Match]:
        return (
            match
            for match in self._extended(self._plan, graph, {})
            if all(any(self._extended(plan, graph, match)) for plan in self._inclusions)
            and not any(any(self._extended(plan, graph, match)) for plan in self._exclusions)
        )

    def _extended(self, plan: MatchPlan, graph: Graph, bound: Match) -> Iterator[Match]:
        if all(check(graph, bound) for check in plan.checks):
            yield from self._stepped(plan.steps, graph, dict(bound))

    def _stepped(self, steps: Sequence[Step], graph: Graph, bound: Match) -> Iterator[Match]:
        """Yield ``bound`` (a reused dict) with more nodes; raise TimeoutError at the deadline."""
        if not steps:
            yield bound
            return
        step, rest = steps[0], steps[1:]
        if rest and self._deadline.over:  # the last node alone takes no time
            raise TimeoutError
        words = step.candidates(graph, bound)
        for condition in step.conditions:
            column = graph.column(condition.column)
            words = [word for word in words if condition[column[word]]]
        taken = frozenset(bound.values())
        for word in words:
            if word in taken:
                continue
            bound[step.node] = word
            for check in step.checks:  # a loop, since all() of a generator takes longer than the checks
                if not check(graph, bound):
                    break
            else:
                if rest:
                    yield from self._stepped(rest, graph, bound)
                else:
                    yield bound
        bound.pop(step.node, None)
