"""The pool: the target-language examples that may be annotated, kept apart from the test set."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from fewshot.corpora.types import Example
from fewshot.errors import FewshotError

E = TypeVar("E", bound=Example)

LENGTHS = {"sentences": (3, 50)}
"""Fewest and most tokens that a pool's examples may have, by kind; Lauscher et al. 2020, section 4."""


@dataclass(frozen=True, slots=True)
class PoolCount:
    """How many candidates were left out of a pool, and why."""

    kept: int
    wrong_length: int
    in_test: int
    repeated: int


def pool(
    candidates: Sequence[E], test: Sequence[E], shortest: int | None = None, longest: int | None = None
) -> tuple[list[E], PoolCount]:
    """Keep the candidates that may be annotated.

    Args:
        candidates: examples of the target language.
        test: the test set; a candidate that shares a text with a test example (its words, a premise, a paragraph) is
            left out.
        shortest: least number of tokens; None: that of `LENGTHS`, if any.
        longest: greatest number of tokens, likewise.

    Returns:
        The pool in the order of the candidates (the first of several equal ones), and the counts.

    Raises:
        FewshotError: when nothing is left.
    """
    kind = candidates[0].kind if candidates else "examples"
    least, most = LENGTHS.get(kind, (0, sys.maxsize))
    least, most = (least if shortest is None else shortest), (most if longest is None else longest)
    in_test = {part for example in test for part in example.parts}
    seen: set[tuple[str, ...]] = set()
    kept: list[E] = []
    wrong_length = leaked = repeated = 0
    for example in candidates:
        if not least <= example.length <= most:
            wrong_length += 1
        elif not in_test.isdisjoint(example.parts):
            leaked += 1
        elif example.key in seen:
            repeated += 1
        else:
            seen.add(example.key)
            kept.append(example)
    if not kept:
        raise FewshotError(
            f"the pool is empty: of {len(candidates)} {kind} {wrong_length} are not of {least}-{most} tokens, "
            f"{leaked} are in the test set and {repeated} are repeated; give more data or other length limits"
        )
    return kept, PoolCount(len(kept), wrong_length, leaked, repeated)


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
    candidates = [example for example in examples if example.parts[0] not in test_keys]
    return candidates, [example for example in examples if example.parts[0] in test_keys]
