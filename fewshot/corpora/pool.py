"""The pool: target-language examples that may be annotated, disjoint from the test set."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from hashlib import blake2b
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from fewshot.corpora.types import Example
from fewshot.errors import FewshotError

E = TypeVar("E", bound=Example)

LENGTHS = {"sentences": (3, 50)}
"""Fewest and most tokens of a pool example, by kind; Lauscher et al. 2020, section 4."""


@dataclass(frozen=True, slots=True)
class PoolCount:
    """Numbers of examples in a pool and of those removed: repeated, else in the test set, else by length."""

    kept: int
    wrong_length: int
    in_test: int
    repeated: int


class Candidate(NamedTuple):
    """The few bytes kept of an example: index, digests of its texts, whether its length fits the pool."""

    place: int
    parts: tuple[bytes, ...]
    fits: bool


@dataclass(frozen=True, slots=True)
class Candidates:
    """The distinct texts among the examples that were read.

    Args:
        first: the first example of each text, in order.
        read: number of all examples.
        least: fewest tokens of a pool example.
        most: most tokens.
    """

    first: Sequence[Candidate]
    read: int
    least: int
    most: int

    def pool(self, test_parts: Set[bytes], test_places: Collection[int] = ()) -> tuple[list[int], PoolCount]:
        """Return the indices of the examples that may be annotated, in order, and the counts.

        Args:
            test_parts: digests of the texts of the test set.
            test_places: indices of test examples, when the test set is drawn from the same examples.
        """
        rest = [candidate for candidate in self.first if candidate.place not in test_places]
        apart = [candidate for candidate in rest if test_parts.isdisjoint(candidate.parts)]
        places = [candidate.place for candidate in apart if candidate.fits]
        repeated = self.read - len(self.first)
        return places, PoolCount(len(places), len(apart) - len(places), len(rest) - len(apart), repeated)


def candidates(
    examples: Iterable[Example],
    shortest: int | None = None,
    longest: int | None = None,
    known: Set[bytes] = frozenset(),
    key: Callable[[Example], Any] = attrgetter("key"),
) -> Candidates:
    """Read examples as a stream and keep a few bytes of each distinct text.

    Args:
        examples: of one kind.
        shortest: fewest tokens of a pool example; None: that of `LENGTHS`, if any.
        longest: most tokens; None: that of `LENGTHS`, if any.
        known: digests of texts that count as repeated.
        key: returns the text that decides whether two examples are equal.
    """
    first: dict[bytes, Candidate] = {}
    read = 0
    least, most = shortest or 0, sys.maxsize if longest is None else longest
    for read, example in enumerate(examples, start=1):
        if read == 1:
            usual = LENGTHS.get(example.kind, (least, most))
            least, most = (usual[0] if shortest is None else shortest), (usual[1] if longest is None else longest)
        text = digest(key(example))
        if text not in first and text not in known:
            parts = (text,) if example.parts == (example.key,) else tuple(map(digest, example.parts))
            first[text] = Candidate(read - 1, parts, least <= example.length <= most)
    return Candidates(list(first.values()), read, least, most)


def digest(text: Any) -> bytes:
    """Return a 12-byte hash of the text of an example."""
    return blake2b(repr(text).encode(), digest_size=12).digest()


def pool(
    examples: Sequence[E], test: Iterable[E], shortest: int | None = None, longest: int | None = None
) -> tuple[list[E], PoolCount]:
    """Return the examples that may be annotated, the first of equal ones, in order; and the counts.

    Args:
        test: examples that share a text (words, premise, paragraph) with the test set are removed.
        shortest: fewest tokens; None: that of `LENGTHS`, if any.
        longest: most tokens; None: that of `LENGTHS`, if any.

    Raises:
        FewshotError: when no example is left.
    """
    known = candidates(examples, shortest, longest)
    places, count = known.pool({digest(part) for example in test for part in example.parts})
    if not places:
        kind = examples[0].kind if examples else "examples"
        raise FewshotError(
            f"the pool is empty: of {len(examples)} {kind} {count.wrong_length} are not of {known.least}-{known.most} "
            f"tokens, {count.in_test} are in the test set and {count.repeated} are repeated; give more data or other "
            "length limits"
        )
    return [examples[place] for place in places], count


def split(examples: Sequence[E], test_share: float, seed: int) -> tuple[list[E], list[E]]:
    """Split examples at random into candidates and test set.

    Equal texts, and pairs of one premise, stay together.

    Args:
        test_share: share of the distinct texts that go to the test set, in (0, 1).

    Returns:
        ``(candidates, test)``, each in the order of ``examples``.

    Raises:
        FewshotError: when there are fewer than two distinct texts.
    """
    keys = sorted({example.parts[0] for example in examples})
    if len(keys) < 2:
        raise FewshotError(f"cannot split {len(examples)} examples into pool and test set; give at least two texts")
    random.Random(seed).shuffle(keys)
    test_keys = set(keys[: min(max(1, round(test_share * len(keys))), len(keys) - 1)])
    rest = [example for example in examples if example.parts[0] not in test_keys]
    return rest, [example for example in examples if example.parts[0] in test_keys]
