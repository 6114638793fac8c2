"""What samplers that look for diverse sentences share.

They compare everything with everything. Of a larger pool a random sample of candidates stands for the whole, so that
time and memory do not grow with the pool; the others follow at random. The choice is greedy: each item is the best
beside those before it, so that draws of different k are nested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from samplers.pool import Pool

CANDIDATES = 4000
"""Most items that are compared with each other: 64 MB of distances."""


def greedily(
    pool: Pool, seed: int, choose: Callable[[np.ndarray, np.random.Generator], Iterator[int]]
) -> Iterator[int]:
    """Yield every index of the pool once: what is chosen of the candidates, the rest of them, the others at random.

    Args:
        seed: of the candidates, and of what is random in choosing.
        choose: yields places among candidates ``[items]`` until no other is worth it; gets a generator. A place that
            comes again, as rounding makes of vectors that are nearly equal, is passed over.
    """
    rng = np.random.default_rng(seed)
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
    """Return squared Euclidean distances ``[items, others]`` of vectors ``[items, size]`` and ``[others, size]``."""
    squares = (vectors**2).sum(1)[:, None] + (others**2).sum(1) - 2 * vectors @ others.T
    distances: np.ndarray = np.maximum(squares, 0)
    return distances
