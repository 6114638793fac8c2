"""RANDOM: every sentence is equally likely (Lauscher et al. 2020, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import ClassVar

from samplers.base import Sampler
from samplers.pool import Pool


class RandomSampler(Sampler):
    """A uniform draw without replacement."""

    name: ClassVar[str] = "random"

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield a random permutation."""
        indices = list(range(len(pool)))
        Random(seed).shuffle(indices)
        yield from indices
