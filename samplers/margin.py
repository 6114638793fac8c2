"""MARGIN: the sentences in which the two likeliest outcomes are closest to each other.

Scheffer et al. 2001, as a mean over the decisions; Settles & Craven 2008, section 3.1, take the two likeliest
sequences instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.pool import Pool, by_score


class MarginSampler(Sampler):
    """Smallest mean margin first."""

    name: ClassVar[str] = "margin"
    needs: ClassVar[frozenset[str]] = frozenset({"margin"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by rising mean margin."""
        yield from by_score(-np.asarray(pool.signal("margin"), dtype=np.float64), seed)
