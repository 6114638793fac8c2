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
"""Exponent of a corpus' size in its share: small corpora are oversampled, as in XLM-R (Conneau et al. 2020, sect.
3.1)."""


@dataclass(frozen=True)
class Mixture(Sequence[Any]):
    """The examples of several corpora, at least one, in order; a training draws its share from each."""

    corpora: tuple[Sequence[Example], ...]

    @cached_property
    def _all(self) -> tuple[Example, ...]:
        return tuple(example for corpus in self.corpora for example in corpus)

    def __getitem__(self, place: Any) -> Any:
        return self._all[place]

    def __len__(self) -> int:
        return len(self._all)


def join_corpora(corpora: Sequence[Sequence[Example]]) -> Sequence[Example]:
    """Return the examples of a single corpus as they are, those of several as a mixture."""
    return corpora[0] if len(corpora) == 1 else Mixture(tuple(corpora))


def parts(examples: Sequence[Example]) -> Sequence[Sequence[Example]]:
    """Return the corpora of a mixture; other examples are one corpus."""
    return examples.corpora if isinstance(examples, Mixture) else [examples]


def fingerprint(examples: Sequence[Example]) -> str:
    """Return a hash of texts and labels; for a mixture, one hash per corpus."""
    return "+".join(load.fingerprint(part) for part in parts(examples))


def shares(sizes: Sequence[int]) -> list[float]:
    """Return the share of each corpus in a training; the sum is 1."""
    powers = np.array(sizes, dtype=float) ** EXPONENT
    return list(map(float, powers / powers.sum()))


def counts(sizes: Sequence[int]) -> list[int]:
    """Return the number of rows of each corpus in a pass over them, by its share, at least one."""
    exact = np.array(shares(sizes)) * sum(sizes)
    rounded = np.floor(exact).astype(int)
    rest = sum(sizes) - rounded.sum()
    rounded[np.argsort(rounded - exact, kind="stable")[:rest]] += 1
    return list(map(int, np.maximum(rounded, 1)))


def passes(sizes: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
    """Yield without end the rows of a pass, in random order: of several corpora, each one's share.

    A row is not repeated before all rows of its corpus have been read. Row numbers run through the corpora.
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
