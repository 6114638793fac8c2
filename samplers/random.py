"""RANDOM: every sentence is as likely as any other (Lauscher et al. 2020, section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import ClassVar

from samplers.base import Item, Sampler


class RandomSampler(Sampler):
    """A uniform draw without replacement."""

    name: ClassVar[str] = "random"

    def order(self, pool: Sequence[Item], seed: int) -> Iterator[int]:
        """Yield a random permutation."""
        indices = list(range(len(pool)))
        Random(seed).shuffle(indices)
        yield from indices
