"""CONFUSED: the sentences that show the pairs of labels that a model confuses most.

After Chaudhary et al. 2021 (confusion-reducing active learning): annotate next where most errors are expected between
two particular labels. They choose word types and annotate single words; here the unit is the sentence. A pair's
expected errors are the summed probabilities of one label where the other is predicted. Pairs take turns as seats are
allocated in an election (D'Hondt): the next pair has the highest ratio of expected errors in the pool to one plus those
in the chosen sentences, and gets the sentence with most of its errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.pool import CHUNK, Pool, generator


class ConfusedSampler(Sampler):
    """Most expected errors of the most confused pair of labels first."""

    name: ClassVar[str] = "confused"
    needs: ClassVar[frozenset[str]] = frozenset({"confused_pairs", "expected_errors"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices as pairs take turns, items without an expected error last."""
        pairs, errors = pool.signal("confused_pairs"), pool.signal("expected_errors")
        totals = _totals(pairs, errors)
        covered = np.zeros(len(totals))
        ties = generator(seed).permutation(len(pool))  # rank of each item among equal ones
        left = np.ones(len(pool), dtype=bool)
        queues: dict[int, Iterator[int]] = {}
        while totals.any():
            pair = int((totals / (1 + covered)).argmax())
            if pair not in queues:
                queues[pair] = _queue(pairs, errors, pair, ties)
            item = next((item for item in queues[pair] if left[item]), None)
            if item is None:
                totals[pair] = 0
                continue
            left[item] = False
            valid = pairs[item] >= 0
            np.add.at(covered, pairs[item][valid].astype(int), errors[item][valid])
            yield item
        rest = np.flatnonzero(left)
        yield from rest[np.argsort(ties[rest])].tolist()


def _totals(pairs: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Sum the expected errors of each pair over the pool, ``[pairs]``."""
    totals = np.zeros(int(pairs.max(initial=-1)) + 1)
    for start in range(0, len(pairs), CHUNK):
        valid = pairs[start : start + CHUNK] >= 0
        numbers = pairs[start : start + CHUNK][valid].astype(int)
        totals += np.bincount(numbers, errors[start : start + CHUNK][valid], len(totals))
    return totals


def _queue(pairs: np.ndarray, errors: np.ndarray, pair: int, ties: np.ndarray) -> Iterator[int]:
    """Yield the items that may show a pair, most expected errors first."""
    items, columns = np.nonzero(pairs == pair)  # an item has a pair once
    yield from items[np.lexsort((ties[items], -errors[items, columns]))].tolist()
