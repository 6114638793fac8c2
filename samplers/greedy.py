"""The common part of samplers that choose diverse sentences.

These samplers compare all items with each other. A larger pool is represented by a random sample of candidates, so that
time and memory do not grow with the pool; the other items follow at random. The choice is greedy: each item is the best
one given the items before it, so that draws of different k are nested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from samplers.pool import Pool, generator

CANDIDATES = 4000
"""Most items that are compared with each other: 64 MB of distances."""


def order_greedily(
    pool: Pool, seed: int, choose: Callable[[np.ndarray, np.random.Generator], Iterator[int]]
) -> Iterator[int]:
    """Yield every index of the pool once: the chosen candidates, the other candidates, the rest at random.

    Args:
        seed: of the candidates, and of randomness in ``choose``.
        choose: yields places among candidates ``[items]``, and may stop early. A repeated place, which rounding can
            cause for nearly equal vectors, is skipped.
    """
    rng = generator(seed)
    items = rng.permutation(len(pool))
    first = items[:CANDIDATES]
    left = np.ones(len(first), dtype=bool)
    for place in choose(first, rng) if len(first) else ():
        if left[place]:
            left[place] = False
            yield int(first[place])
    yield from first[left].tolist()
    yield from items[CANDIDATES:].tolist()


def squared_distances(vectors: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return squared Euclidean distances ``[items, others]`` of the rows of two matrices."""
    squares = (vectors**2).sum(1)[:, None] + (others**2).sum(1) - 2 * vectors @ others.T
    distances: np.ndarray = np.maximum(squares, 0)
    return distances
