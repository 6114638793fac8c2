"""What suggestions save, and what they do to the annotation: measured on the share of items shown without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewshot.costs.time_model import Array, Item

REPLICATES = 1000
FEWEST = 3
"""Items of an annotator, with suggestions and without, below which nothing is said of the annotator."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value, with its 95% interval (bootstrap over each annotator's items).

    Args:
        value: estimate.
        low: lower end.
        high: upper end.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """What suggestions do.

    Args:
        saved: share of the blind time that they save; negative where they cost time.
        blind: seconds a token where they were hidden.
        shown: seconds a token where they were shown, to the same annotators.
        anchoring: agreement with the suggestion where it was shown minus where it was not, as a share: what people
            would not have annotated so by themselves (Berzak et al. 2016); None where nothing can be compared.
    """

    saved: Estimate
    blind: float
    shown: float
    anchoring: Estimate | None


def speed_up(items: Sequence[Item], seed: int = 0) -> SpeedUp | None:
    """Measure the speed-up of suggestions and the anchoring gap.

    The time of the shown items is compared with what the same tokens would have taken the same annotators at their
    blind pace, so that fast and slow people with different shares do not pass for an effect.

    Args:
        items: of any annotators; those for which there was no suggestion to show or to hide say nothing here, and those
            without a measured time nothing of time.
        seed: of the bootstrap.

    Returns:
        None where no annotator has three timed items of each kind.
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


Pair = tuple[Sequence[Item], Sequence[Item]]
"""The items of one annotator: blind, shown."""


def _pairs(items: Sequence[Item]) -> list[Pair]:
    names = sorted({item.annotator for item in items})
    pairs = [
        tuple([i for i in items if i.annotator == name and i.blind == blind] for blind in (True, False))
        for name in names
    ]
    return [(blind, shown) for blind, shown in pairs if min(len(blind), len(shown)) >= FEWEST]


def _pace(items: Sequence[Item]) -> float:
    return sum(item.seconds for item in items) / sum(item.tokens for item in items)


def _saved(pairs: Sequence[Pair], rng: np.random.Generator) -> Estimate:
    expected, took = np.zeros(REPLICATES + 1), np.zeros(REPLICATES + 1)
    for pair in pairs:
        blind, shown = (resampled([(item.seconds, item.tokens) for item in items], rng, REPLICATES) for items in pair)
        expected += blind[:, 0] / blind[:, 1] * shown[:, 1]
        took += shown[:, 0]
    return estimate(1 - took / expected)


def _anchoring(pairs: Sequence[Pair], rng: np.random.Generator) -> Estimate:
    """Return the mean over annotators, each with the number of shown items as weight, of shown minus blind."""
    gaps = []
    for pair in pairs:
        blind, shown = (
            resampled([(i.agreement or 0.0,) for i in items], rng, REPLICATES) / len(items) for items in pair
        )
        gaps.append((shown - blind)[:, 0])
    return estimate(np.average(gaps, axis=0, weights=[len(shown) for _, shown in pairs]))


def resampled(rows: Sequence[Sequence[float]], rng: np.random.Generator, replicates: int) -> Array:
    """Return sums over rows, ``[1 + replicates, columns]``: of the rows first, then of resamples of them."""
    table = np.array(rows, float)
    drawn = (table[rng.integers(len(table), size=len(table))].sum(axis=0) for _ in range(replicates))
    return np.stack([table.sum(axis=0), *drawn])


def estimate(values: Array) -> Estimate:
    """Return the first of some values, with the 95% interval of the others."""
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return Estimate(float(values[0]), float(low), float(high))
