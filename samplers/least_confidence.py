"""LEAST CONFIDENCE: the sentences whose most likely annotation is least likely, whatever their length.

Least confidence (Culotta & McCallum 2005; Settles & Craven 2008, section 3.1) with the log-probability divided by the
length, as maximum normalized log-probability (MNLP; Shen et al. 2018, section 4). For one decision both are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.pool import Pool, by_score


class LeastConfidenceSampler(Sampler):
    """Lowest mean log-probability of the likeliest outcomes first."""

    name: ClassVar[str] = "least-confidence"
    needs: ClassVar[frozenset[str]] = frozenset({"log_probability"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by rising mean log-probability."""
        yield from by_score(-np.asarray(pool.signal("log_probability"), dtype=np.float64), seed)
