"""From a file of a language to the rows of a new project: what may be annotated, and what is kept for testing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from random import Random
from typing import Any

from annotate.editing import content
from fewshot.corpora.pool import Candidates, PoolCount, candidates, digest
from fewshot.corpora.types import Example
from fewshot.errors import FewshotError

Row = tuple[str, str, int, dict[str, Any]]
"""Split, the example's own id, its length in tokens, the example as JSON."""


@dataclass(frozen=True, slots=True)
class Intake:
    """What a project takes of its examples.

    Args:
        pool: places of the examples that may be drawn.
        test: places of the examples that are kept for the test set.
        count: how many of the others were left out, and why.
    """

    pool: frozenset[int]
    test: frozenset[int]
    count: PoolCount


def intake(examples: Iterable[Example], test: int, seed: int, shortest: int | None, longest: int | None) -> Intake:
    """Choose pool and test set, reading the examples once and keeping a few bytes of each.

    Args:
        examples: of one kind.
        test: how many are drawn at random for the test set, at most half of the different ones; of any length, as a
            treebank's test set is.
        seed: of that draw.
        shortest: least tokens of a pool example; None: that of the kind, see `fewshot.corpora.pool`.
        longest: most tokens, likewise.

    Raises:
        FewshotError: when nothing is left to annotate.
    """
    known = candidates(examples, shortest, longest)
    drawn = Random(seed).sample(known.first, min(test, len(known.first) // 2))
    return _taken(known, {part for each in drawn for part in each.parts}, frozenset(each.place for each in drawn))


def beside(examples: Iterable[Example], test: Iterable[Example], held: Iterable[Example] = ()) -> Intake:
    """Choose a pool for a test set that is given, or more for a pool that there is, reading the examples once.

    Args:
        examples: of one kind, of which none becomes a test example.
        test: the test set.
        held: what the pool has already.

    Raises:
        FewshotError: when nothing is left to annotate.
    """
    texts = {digest(example.key) for example in held}
    return _taken(candidates(examples, known=texts), {digest(part) for each in test for part in each.parts})


def _taken(known: Candidates, test_parts: Set[bytes], test_set: frozenset[int] = frozenset()) -> Intake:
    places, count = known.pool(test_parts, test_set)
    if not known.read:
        raise FewshotError("nothing to annotate: there is no example; give some text")
    if not places:
        raise FewshotError(
            f"nothing to annotate: of {known.read} examples {count.wrong_length} are not of {known.least}-{known.most} "
            f"tokens, {count.repeated} are repeated and {len(test_set) + count.in_test} are kept for the test set; "
            "give more text, or other length limits"
        )
    return Intake(frozenset(places), test_set, count)


def rows(read: Callable[[], Iterable[Example]], taken: Intake) -> Iterator[Row]:
    """Yield the rows of a new project.

    Args:
        read: reads the examples again, in the same order.
        taken: of the same examples.
    """
    for place, example in enumerate(read()):
        split = "test" if place in taken.test else "pool" if place in taken.pool else None
        if split is not None:
            yield split, example.id, example.length, content.to_json(example)


def both(pool: Iterable[Example], test: Iterable[Example]) -> Iterator[Row]:
    """Yield the rows of a project whose pool and test set are given."""
    for split, examples in (("pool", pool), ("test", test)):
        for example in examples:
            yield split, example.id, example.length, content.to_json(example)
