"""TYPICAL: sentences with many similar ones, each from another part of the pool.

Typicality is the inverse of the mean distance to the K = 20 nearest neighbours (TypiClust; Hacohen et al. 2022,
equation 4), on mean word embeddings. The paper's clusters, as many as shots, would not be nested; instead, the
neighbours of a chosen item wait until all items are chosen or waiting.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.greedy import order_greedily, squared_distances
from samplers.pool import Pool

NEIGHBOURS = 20
"""K of the paper."""


class TypicalSampler(Sampler):
    """The most typical sentence outside the neighbourhoods of chosen ones first."""

    name: ClassVar[str] = "typical"
    needs: ClassVar[frozenset[str]] = frozenset({"embeddings"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by falling typicality, neighbours later."""

        def choose(items: np.ndarray, rng: np.random.Generator) -> Iterator[int]:
            vectors = pool.vectors(items)
            return typical(np.sqrt(squared_distances(vectors, vectors)))

        yield from order_greedily(pool, seed, choose)


def typical(distances: np.ndarray, k: int = NEIGHBOURS) -> Iterator[int]:
    """Yield every place once, the most typical ones first; overwrites the diagonal of ``distances``."""
    np.fill_diagonal(distances, np.inf)
    k = min(k, len(distances) - 1)
    neighbours = np.argpartition(distances, max(k - 1, 0), axis=1)[:, :k]
    mean = np.take_along_axis(distances, neighbours, 1).sum(1) / max(k, 1)
    left = list(np.argsort(mean, kind="stable"))  # smallest mean distance: most typical
    while left:
        waits = np.zeros(len(distances), dtype=bool)
        later = []
        for place in left:
            if waits[place]:
                later.append(place)
            else:
                waits[neighbours[place]] = True
                yield int(place)
        left = later
