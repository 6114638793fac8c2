"""SHORTEST: the sentences with the fewest tokens (Lauscher et al. 2020, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import ClassVar

from samplers.base import Sampler
from samplers.pool import Pool


class ShortestSampler(Sampler):
    """Fewest tokens first; ties in an order drawn from the seed."""

    name: ClassVar[str] = "shortest"

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by rising length."""
        rng = Random(seed)
        yield from sorted(range(len(pool)), key=lambda index: (pool.lengths[index], rng.random()))
