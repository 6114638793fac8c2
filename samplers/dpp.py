"""DPP: sentences that a model is unsure of and that are unlike each other, by a determinant.

A determinantal point process (Kulesza & Taskar 2012, section 3.1: quality x diversity) with the kernel ``q_i S_ij
q_j``, where q is the mean entropy of the decisions and S a Gaussian kernel of the unit vectors of mean word
embeddings, as wide as their mean squared distance. Greedy MAP inference (Chen et al. 2018, algorithm 1) adds the item
that raises the determinant most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.greedy import order_greedily, squared_distances
from samplers.pool import Pool

EPSILON = 1e-9
"""Smallest factor by which an item must raise the determinant; smaller ones are rounding errors of duplicates."""


class DppSampler(Sampler):
    """The item that raises the determinant most first."""

    name: ClassVar[str] = "dpp"
    needs: ClassVar[frozenset[str]] = frozenset({"embeddings", "entropy"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by greedy MAP inference, items without entropy last."""

        def choose(items: np.ndarray, rng: np.random.Generator) -> Iterator[int]:
            vectors = pool.vectors(items).astype(np.float64)
            width = max(2 - 2 * float((vectors.mean(0) ** 2).sum()), 1e-9)  # the mean squared distance of unit vectors
            quality = pool.signal("entropy")[items].astype(np.float64)

            def similarity(place: int) -> np.ndarray:
                row: np.ndarray = np.exp(-squared_distances(vectors, vectors[place][None])[:, 0] / width)
                return row

            return greedy_map(quality, similarity)

        yield from order_greedily(pool, seed, choose)


def greedy_map(quality: np.ndarray, similarity: Callable[[int], np.ndarray]) -> Iterator[int]:
    """Yield places by how much they raise the determinant of the kernel, until none does.

    Args:
        quality: ``[items]``.
        similarity: returns the row ``[items]`` of a place in a positive semi-definite matrix with ones on the diagonal.
    """
    rows = np.empty((64, len(quality)))  # Cholesky factor of the chosen items, enlarged when full
    quality = quality / max(quality.max(), 1e-300)  # avoids overflow of the square
    gains = np.ones(len(quality))  # squared: the factors by which items raise the determinant of S
    for step in range(len(quality)):
        place = int((quality**2 * gains).argmax())
        if quality[place] * gains[place] <= 0:
            return
        yield place
        if step == len(rows):
            rows = np.concatenate([rows, np.empty_like(rows)])
        rows[step] = (similarity(place) - rows[:step, place] @ rows[:step]) / np.sqrt(gains[place])
        gains = gains - rows[step] ** 2
        gains[gains < EPSILON] = 0
        gains[place] = 0  # exactly, despite rounding
