"""MEDOIDS: every sentence of the pool is similar to an annotated one.

Greedy k-medoids, the BUILD step of PAM (Kaufman & Rousseeuw 1990, chapter 2), on mean word embeddings: each medoid
lowers the summed distance to the nearest medoid most. Without PAM's swaps draws are nested, and the reduction is at
least 1 - 1/e of the possible one (Nemhauser et al. 1978), so that outdated gains can wait in a heap (Minoux 1978).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.greedy import order_greedily, squared_distances
from samplers.pool import Pool

MAX_DISTANCE = 2.0
"""Distance of two opposite unit vectors, and of items without a medoid."""


class MedoidsSampler(Sampler):
    """The medoid that lowers the summed distance most first."""

    name: ClassVar[str] = "medoids"
    needs: ClassVar[frozenset[str]] = frozenset({"embeddings"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield the medoids, by Euclidean distance of unit vectors."""

        def choose(items: np.ndarray, rng: np.random.Generator) -> Iterator[int]:
            vectors = pool.vectors(items)
            return medoids(np.sqrt(squared_distances(vectors, vectors)))

        yield from order_greedily(pool, seed, choose)


def medoids(distances: np.ndarray) -> Iterator[int]:
    """Yield every place once, each the one that lowers the summed distance to the nearest most."""
    nearest = np.full(len(distances), MAX_DISTANCE)
    heap = [(-float(np.sum(MAX_DISTANCE - row, dtype=np.float64)), place) for place, row in enumerate(distances)]
    heapq.heapify(heap)
    while heap:
        _, place = heapq.heappop(heap)
        gain = float(np.maximum(nearest - distances[place], 0).sum())
        if heap and gain < -heap[0][0]:  # gains only fall, so the best updated gain is the best of all
            heapq.heappush(heap, (-gain, place))
        else:
            yield place
            nearest = np.minimum(nearest, distances[place])
