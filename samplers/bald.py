"""BALD: the sentences on which equally good models disagree.

Bayesian active learning by disagreement (Houlsby et al. 2011, equation 2): the mutual information of outcome and
weights, ``H[mean p] - mean H[p]``, over weights drawn by dropout (Gal et al. 2017, section 3), here only before and
inside the head; the mean over the decisions, after Siddhant & Lipton 2018.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from samplers.base import Sampler
from samplers.pool import Pool, by_score


class BaldSampler(Sampler):
    """Highest mean mutual information first."""

    name: ClassVar[str] = "bald"
    needs: ClassVar[frozenset[str]] = frozenset({"mutual_information"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices by falling mean mutual information."""
        yield from by_score(pool.signal("mutual_information"), seed)
