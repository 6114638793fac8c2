"""The pool: the target-language examples that may be annotated, kept apart from the test set."""

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
"""Fewest and most tokens that a pool's examples may have, by kind; Lauscher et al. 2020, section 4."""


@dataclass(frozen=True, slots=True)
class PoolCount:
    """How many examples are in a pool, and how many were left out: repeated; else in the test set; else by length."""

    kept: int
    wrong_length: int
    in_test: int
    repeated: int


class Candidate(NamedTuple):
    """A few bytes of an example: its place from 0, digests of its texts, whether a pool takes its length."""

    place: int
    parts: tuple[bytes, ...]
    fits: bool


@dataclass(frozen=True, slots=True)
class Candidates:
    """The different texts among the examples that were read.

    Args:
        first: the first example of each text, in order.
        read: how many examples there were.
        least: fewest tokens of a pool example.
        most: greatest number of tokens.
    """

    first: Sequence[Candidate]
    read: int
    least: int
    most: int

    def pool(self, test_parts: Set[bytes], test_places: Collection[int] = ()) -> tuple[list[int], PoolCount]:
        """Return the places of those that may be annotated, in order, and the counts.

        Args:
            test_parts: digests of the texts of the test set.
            test_places: of the examples that are the test set, where it is drawn from the same ones.
        """
        rest = [each for each in self.first if each.place not in test_places]
        apart = [each for each in rest if test_parts.isdisjoint(each.parts)]
        places = [each.place for each in apart if each.fits]
        repeated = self.read - len(self.first)
        return places, PoolCount(len(places), len(apart) - len(places), len(rest) - len(apart), repeated)


def candidates(
    examples: Iterable[Example],
    shortest: int | None = None,
    longest: int | None = None,
    known: Set[bytes] = frozenset(),
    key: Callable[[Example], Any] = attrgetter("key"),
) -> Candidates:
    """Read examples once, one after the other, and keep a few bytes of each different text.

    Args:
        examples: of one kind.
        shortest: least number of tokens of a pool example; None: that of `LENGTHS`, if any.
        longest: greatest number of tokens, likewise.
        known: digests of texts that are repeated wherever they come.
        key: what makes two examples the same text.
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
    """Return 12 bytes that stand for the words or the text of an example."""
    return blake2b(repr(text).encode(), digest_size=12).digest()


def pool(
    examples: Sequence[E], test: Iterable[E], shortest: int | None = None, longest: int | None = None
) -> tuple[list[E], PoolCount]:
    """Keep the examples that may be annotated.

    Args:
        examples: of the target language.
        test: the test set; an example that shares a text with one of it (its words, a premise, a paragraph) is left
            out.
        shortest: least number of tokens; None: that of `LENGTHS`, if any.
        longest: greatest number of tokens, likewise.

    Returns:
        The pool in the order of the examples (the first of several equal ones), and the counts.

    Raises:
        FewshotError: when nothing is left.
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
    """Split examples at random into candidates and test set; equal texts, and pairs of one premise, stay on one side.

    Args:
        examples: at least two different texts.
        test_share: share of the examples that go to the test set, in (0, 1).
        seed: the split is a pure function of examples and seed.

    Returns:
        ``(candidates, test)``, each in the order of ``examples``.

    Raises:
        FewshotError: when there are fewer than two different texts.
    """
    keys = sorted({example.parts[0] for example in examples})
    if len(keys) < 2:
        raise FewshotError(f"cannot split {len(examples)} examples into pool and test set; give at least two texts")
    random.Random(seed).shuffle(keys)
    test_keys = set(keys[: min(max(1, round(test_share * len(keys))), len(keys) - 1)])
    rest = [example for example in examples if example.parts[0] not in test_keys]
    return rest, [example for example in examples if example.parts[0] in test_keys]
