"""COST-AWARE: the sentences with the largest expected gain per minute of annotation.

Return on investment (Haertel et al. 2008; utility by cost in Tomanek & Hahn 2010). The gain is the total entropy of the
decisions; minutes are predicted from length and expected corrections, or given by the user.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.pool import Pool, SamplerError, by_score


class CostAwareSampler(Sampler):
    """Highest total entropy per predicted minute first."""

    name: ClassVar[str] = "cost-aware"
    needs: ClassVar[frozenset[str]] = frozenset({"entropy", "units", "minutes"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by falling nats per minute."""
        minutes = np.asarray(pool.signal("minutes"), dtype=np.float64)
        if not (minutes > 0).all():
            raise SamplerError(f"item {int((minutes <= 0).argmax())} of the pool takes no minutes; give more than 0")
        gain = np.asarray(pool.signal("entropy"), dtype=np.float64) * pool.signal("units")
        yield from by_score(gain / minutes, seed)
