"""TEXT-ORDER: the sentences as they follow each other in the file, as most treebanks are annotated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from samplers.base import Sampler
from samplers.pool import Pool


class TextOrderSampler(Sampler):
    """The first of the pool first, whatever the seed: a next round goes on where the last one ended."""

    name: ClassVar[str] = "text-order"

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield the indices in order."""
        yield from range(len(pool))
