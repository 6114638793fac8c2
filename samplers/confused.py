"""CONFUSED: the sentences that show the pairs of labels which a model confuses most.

After Chaudhary et al. 2021 (confusion-reducing active learning): what is annotated next is where most errors are
expected between two particular labels, not where a model is unsure of anything. They choose word types and annotate
single words; here the unit is the sentence. A pair's expected errors are the summed probabilities of the one label
where the other is predicted. Pairs take turns as seats are given in an election (D'Hondt): the next is the one with
most expected errors in the pool for each that is in what was chosen, plus one, and it gets the sentence with most of
its errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from samplers.base import Sampler
from samplers.pool import CHUNK, Pool


class ConfusedSampler(Sampler):
    """Most expected errors of the most confused pair of labels first."""

    name: ClassVar[str] = "confused"
    needs: ClassVar[frozenset[str]] = frozenset({"confused_pairs", "expected_errors"})

    def order(self, pool: Pool, seed: int) -> Iterator[int]:
        """Yield indices as pairs take turns, items without an expected error at last."""
        pairs, errors = pool.signal("confused_pairs"), pool.signal("expected_errors")
        totals = _totals(pairs, errors)
        covered = np.zeros(len(totals))
        ties = np.random.default_rng(seed).permutation(len(pool))  # each item's rank among its equals
        left = np.ones(len(pool), dtype=bool)
        queues: dict[int, Iterator[int]] = {}
        while totals.any():
            pair = int((totals / (1 + covered)).argmax())
            if pair not in queues:
                queues[pair] = _queue(pairs, errors, pair, ties)
            item = next((one for one in queues[pair] if left[one]), None)
            if item is None:
                totals[pair] = 0
                continue
            left[item] = False
            there = pairs[item] >= 0
            np.add.at(covered, pairs[item][there].astype(int), errors[item][there])
            yield item
        rest = np.flatnonzero(left)
        yield from rest[np.argsort(ties[rest])].tolist()


def _totals(pairs: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Sum the expected errors of each pair over the pool, ``[pairs]``."""
    totals = np.zeros(int(pairs.max(initial=-1)) + 1)
    for start in range(0, len(pairs), CHUNK):
        there = pairs[start : start + CHUNK] >= 0
        numbers = pairs[start : start + CHUNK][there].astype(int)
        totals += np.bincount(numbers, errors[start : start + CHUNK][there], len(totals))
    return totals


def _queue(pairs: np.ndarray, errors: np.ndarray, pair: int, ties: np.ndarray) -> Iterator[int]:
    """Yield the items that may show a pair, most expected errors first."""
    items, columns = np.nonzero(pairs == pair)  # an item has a pair once
    yield from items[np.lexsort((ties[items], -errors[items, columns]))].tolist()
