"""CORE-SET: no sentence of the pool is far from an annotated one.

Greedy k-centre (Sener & Savarese 2018, algorithm 1; Gonzalez 1985): its largest distance is at most twice the smallest
possible one. The first centre is drawn at random.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.greedy import order_greedily, squared_distances
from samplers.pool import Pool


class CoreSetSampler(Sampler):
    """The item farthest from all items before it first."""

    name: ClassVar[str] = "core-set"
    needs: ClassVar[frozenset[str]] = frozenset({"embeddings"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield the centres, by Euclidean distance of the unit vectors of mean word embeddings."""

        def choose(items: np.ndarray, rng: np.random.Generator) -> Iterator[int]:
            return centres(pool.vectors(items))

        yield from order_greedily(pool, seed, choose)


def centres(vectors: np.ndarray) -> Iterator[int]:
    """Yield every place among vectors ``[items, size]`` once, each the farthest from all before."""
    nearest = np.full(len(vectors), np.inf)
    place = 0
    for _ in range(len(vectors)):
        yield place
        nearest = np.minimum(nearest, squared_distances(vectors, vectors[place][None])[:, 0])
        nearest[place] = -np.inf  # comes last, even among equal vectors
        place = int(nearest.argmax())
