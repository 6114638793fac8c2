"""From a file of a language to the rows of a new project: what may be annotated, and what is kept for testing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Any, NamedTuple

from annotate.editing import content
from fewshot.corpora.pool import LENGTHS
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
        wrong_length: how many were left out because they are too short or too long.
        repeated: how many were left out because an equal text came before.
        in_test: how many were left out because a text of theirs, such as the premise of a pair, is in the test set.
    """

    pool: frozenset[int]
    test: frozenset[int]
    wrong_length: int
    repeated: int
    in_test: int


class _Seen(NamedTuple):
    """An example that was read: its place, its texts, and whether its length is that of a pool example."""

    place: int
    parts: tuple[bytes, ...]
    fits: bool


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
    seen: set[bytes] = set()
    first: list[_Seen] = []
    read = 0
    least, most = 0, sys.maxsize
    for read, example in enumerate(examples, start=1):
        if read == 1:
            usual = LENGTHS.get(example.kind, (0, sys.maxsize))
            least, most = (usual[0] if shortest is None else shortest), (usual[1] if longest is None else longest)
        text = _digest(example.key)
        if text not in seen:
            seen.add(text)
            parts = (text,) if example.parts == (example.key,) else tuple(_digest(part) for part in example.parts)
            first.append(_Seen(read - 1, parts, least <= example.length <= most))
    test_set = Random(seed).sample(first, min(test, len(first) // 2))
    chosen = frozenset(each.place for each in test_set)
    in_test = {part for each in test_set for part in each.parts}
    rest = [each for each in first if each.place not in chosen]
    apart = [each for each in rest if in_test.isdisjoint(each.parts)]
    pool = frozenset(each.place for each in apart if each.fits)
    wrong, leaked, repeated = len(apart) - len(pool), len(rest) - len(apart), read - len(first)
    if not pool:
        raise FewshotError(
            f"nothing to annotate: of {read} examples {wrong} are not of {least}-{most} tokens, {repeated} are "
            f"repeated and {len(chosen) + leaked} are kept for the test set; give more text, or other length limits"
            if read
            else "nothing to annotate: there is no example; give some text"
        )
    return Intake(pool, chosen, wrong, repeated, leaked)


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


def _digest(text: Any) -> bytes:
    return blake2b(repr(text).encode(), digest_size=12).digest()
