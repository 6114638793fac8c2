"""ENTROPY: the sentences whose words a model is least sure of, whatever their number.

Token entropy, normalised by the length of the sequence (Settles & Craven 2008, section 3.1, "total token entropy"
without the normalisation); Shannon entropy as in Settles 2009, section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from samplers.base import Sampler
from samplers.pool import Pool, by_score


class EntropySampler(Sampler):
    """Highest mean entropy of the decisions first."""

    name: ClassVar[str] = "entropy"
    needs: ClassVar[frozenset[str]] = frozenset({"entropy"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by falling mean entropy."""
        yield from by_score(pool.signal("entropy"), seed)
