"""NEAREST: the sentences that are most similar to the target language's text as a whole.

The distance to the target of DeMuX (Khanuja et al. 2024, AVERAGE-DIST): the mean distance to all texts of the target
domain, for which the pool itself is the sample. The mean cosine with unit vectors is the cosine with their sum, so that
one pass suffices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.pool import CHUNK, Pool, by_score, unit


class NearestSampler(Sampler):
    """Smallest mean cosine distance to the pool first."""

    name: ClassVar[str] = "nearest"
    needs: ClassVar[frozenset[str]] = frozenset({"embeddings"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by falling mean cosine."""
        vectors = pool.signal("embeddings")
        starts = range(0, len(pool), CHUNK)
        total = sum((unit(vectors[start : start + CHUNK]).sum(0, dtype=np.float64) for start in starts), np.zeros(()))
        cosines = [unit(vectors[start : start + CHUNK]) @ total for start in starts]
        yield from by_score(np.concatenate([np.empty(0), *cosines]), seed)
