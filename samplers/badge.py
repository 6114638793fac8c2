"""BADGE: sentences that a model is unsure of, and unlike each other.

Batch active learning by diverse gradient embeddings (Ash et al. 2020, algorithm 1): k-means++ (Arthur & Vassilvitskii
2007, section 2.2) draws items with probabilities proportional to the squared distance to the nearest item drawn before,
first to the origin, where there is nothing to learn. The gradient, as long as the last layer's weights, is replaced by
the mean word embedding as a unit vector, times 1 - p of the likeliest outcomes, the factor for the predicted label.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.greedy import order_greedily, squared_distances
from samplers.pool import Pool


class BadgeSampler(Sampler):
    """K-means++ on embeddings whose length is the model's uncertainty."""

    name: ClassVar[str] = "badge"
    needs: ClassVar[frozenset[str]] = frozenset({"embeddings", "log_probability"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices as k-means++ draws them."""

        def choose(items: np.ndarray, rng: np.random.Generator) -> Iterator[int]:
            sure = np.exp(np.minimum(pool.signal("log_probability")[items].astype(np.float64), 0))
            return spread(pool.vectors(items) * (1 - sure)[:, None], rng)

        yield from order_greedily(pool, seed, choose)


def spread(vectors: np.ndarray, rng: np.random.Generator) -> Iterator[int]:
    """Yield places among vectors ``[items, size]`` until all others are zero or equal a drawn one."""
    chances = (vectors**2).sum(1)
    while chances.sum() > 0:
        place = int(rng.choice(len(chances), p=chances / chances.sum()))
        yield place
        chances = np.minimum(chances, squared_distances(vectors, vectors[place][None])[:, 0])
        chances[place] = 0
