"""Several corpora as the data of one training."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fewshot.corpora import load
from fewshot.corpora.types import Example

EXPONENT = 0.3
"""Of a corpus' size, which its share is proportional to: small ones are seen more often than they are large, as in
XLM-R (Conneau et al. 2020, section 3.1)."""


@dataclass(frozen=True)
class Mixture(Sequence[Any]):
    """The examples of several corpora, one corpus after the other; what is trained on them draws from each its share.

    Args:
        corpora: examples of each; at least one.
    """

    corpora: tuple[Sequence[Example], ...]

    @cached_property
    def _all(self) -> tuple[Example, ...]:
        return tuple(example for corpus in self.corpora for example in corpus)

    def __getitem__(self, place: Any) -> Any:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)


def joined(corpora: Sequence[Sequence[Example]]) -> Sequence[Example]:
    """Return the examples of one corpus as they are, those of several as a mixture."""
    return corpora[0] if len(corpora) == 1 else Mixture(tuple(corpora))


def parts(examples: Sequence[Example]) -> Sequence[Sequence[Example]]:
    """Return the corpora that examples are of: one, unless they are a mixture."""
    return examples.corpora if isinstance(examples, Mixture) else [examples]


def fingerprint(examples: Sequence[Example]) -> str:
    """Return a hash of texts and labels, of a mixture one for each corpus."""
    return "+".join(load.fingerprint(part) for part in parts(examples))


def shares(sizes: Sequence[int]) -> list[float]:
    """Return how much of a training is of each of some corpora; the sum is 1."""
    powers = np.array(sizes, dtype=float) ** EXPONENT
    return list(map(float, powers / powers.sum()))


def counts(sizes: Sequence[int]) -> list[int]:
    """Return how many rows of each corpus a pass reads, as many in all as there are: its share, at least one."""
    exact = np.array(shares(sizes)) * sum(sizes)
    found = np.floor(exact).astype(int)
    rest = sum(sizes) - found.sum()
    found[np.argsort(found - exact, kind="stable")[:rest]] += 1
    return list(map(int, np.maximum(found, 1)))


def passes(sizes: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
    """Yield for ever the rows of a pass in random order: of one corpus each once, of several so many of each.

    No row of a corpus comes again before all of its rows have come.

    Args:
        sizes: rows of each corpus, which follow each other.
        rng: of the orders.
    """
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    streams = [_rows(start, size, rng) for start, size in zip(starts, sizes, strict=True)]
    wanted = counts(sizes)
    while True:
        rows = [next(stream) for stream, count in zip(streams, wanted, strict=True) for _ in range(count)]
        if len(sizes) > 1:
            rng.shuffle(rows)
        yield rows


def _rows(start: int, size: int, rng: random.Random) -> Iterator[int]:
    rows = list(range(start, start + size))
    while True:
        order = rows.copy()
        rng.shuffle(order)
        yield from order
