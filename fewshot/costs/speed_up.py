"""The effect of suggestions on time and annotation, relative to items shown without suggestions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewshot.costs.time_model import Array, TimedItem

REPLICATES = 1000
MIN_ITEMS = 3
"""Minimum number of items with and without suggestions for a statement about an annotator."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value with its 95% interval (bootstrap over each annotator's items)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """The effect of suggestions.

    Args:
        saved: share of the blind time that suggestions save; negative if they cost time.
        blind: seconds per token with hidden suggestions.
        shown: seconds per token with shown suggestions, by the same annotators.
        anchoring: agreement with shown suggestions minus agreement with hidden ones, as a share (Berzak et al. 2016);
            None if nothing can be compared.
    """

    saved: Estimate
    blind: float
    shown: float
    anchoring: Estimate | None


def speed_up(items: Sequence[TimedItem], seed: int = 0) -> SpeedUp | None:
    """Measure the time saved by suggestions and the anchoring gap.

    The time of the shown items is compared with the time that the same annotators would have needed for the same tokens
    at their blind pace. So differences between fast and slow annotators do not count as an effect.

    Args:
        items: items of any annotators; items without a suggestion are ignored, and items without a measured time count
            for anchoring only.

    Returns:
        None if no annotator has three timed items of each kind.
    """
    items = [item for item in items if item.suggested]
    timed = _pairs([item for item in items if item.seconds > 0 and item.tokens > 0])
    if not timed:
        return None
    rng = np.random.default_rng(seed)
    compared = _pairs([item for item in items if item.agreement is not None])
    blind, shown = ([item for pair in timed for item in pair[side]] for side in (0, 1))
    return SpeedUp(
        saved=_saved(timed, rng),
        blind=_pace(blind),
        shown=_pace(shown),
        anchoring=_anchoring(compared, rng) if compared else None,
    )


Pair = tuple[Sequence[TimedItem], Sequence[TimedItem]]
"""The blind and the shown items of one annotator."""


def _pairs(items: Sequence[TimedItem]) -> list[Pair]:
    names = sorted({item.annotator for item in items})
    pairs = [
        tuple([i for i in items if i.annotator == name and i.blind == blind] for blind in (True, False))
        for name in names
    ]
    return [(blind, shown) for blind, shown in pairs if min(len(blind), len(shown)) >= MIN_ITEMS]


def _pace(items: Sequence[TimedItem]) -> float:
    return sum(item.seconds for item in items) / sum(item.tokens for item in items)


def _saved(pairs: Sequence[Pair], rng: np.random.Generator) -> Estimate:
    expected, took = np.zeros(REPLICATES + 1), np.zeros(REPLICATES + 1)
    for pair in pairs:
        blind, shown = (resample([(item.seconds, item.tokens) for item in items], rng) for items in pair)
        expected += blind[:, 0] / blind[:, 1] * shown[:, 1]
        took += shown[:, 0]
    return estimate(1 - took / expected)


def _anchoring(pairs: Sequence[Pair], rng: np.random.Generator) -> Estimate:
    """Return the mean of shown minus blind agreement, weighted by the number of shown items."""
    gaps = []
    for pair in pairs:
        blind, shown = (resample([(i.agreement or 0.0,) for i in items], rng) / len(items) for items in pair)
        gaps.append((shown - blind)[:, 0])
    return estimate(np.average(gaps, axis=0, weights=[len(shown) for _, shown in pairs]))


def resample(rows: Sequence[Sequence[float]], rng: np.random.Generator) -> Array:
    """Return column sums of the rows, then of resamples of the rows: ``[1 + REPLICATES, columns]``."""
    table = np.array(rows, float)
    drawn = (table[rng.integers(len(table), size=len(table))].sum(axis=0) for _ in range(REPLICATES))
    return np.stack([table.sum(axis=0), *drawn])


def estimate(values: Array) -> Estimate:
    """Return the first value with the 95% interval of the other values."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return Estimate(float(values[0]), float(low), float(high))
