"""Annotation time: published figures at first, then the times measured of each annotator.

Seconds of an item = item + token * tokens + edit * edits, with non-negative coefficients (for trees: Skjaerholt 2013).
The published figures enter as a few artificial items, whose weight shrinks as measured items are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from fewshot.errors import FewshotError
from fewshot.tasks import AnnotationTime

Array = npt.NDArray[np.float64]

PRIOR_ITEMS = 10
"""Number of measured items that the published figures count as."""

TYPICAL_ITEMS = ((8, 0.1), (8, 1.0), (20, 0.1), (20, 0.5), (35, 0.1), (35, 1.0))
"""The artificial items: tokens, and edits per token."""

INTERVAL = (0.1, 0.9)
"""Quantiles of the 80% interval of a prediction."""

REPLICATES = 200


@dataclass(frozen=True, slots=True)
class TimedItem:
    """One annotated item with its measurements.

    Args:
        edits: number of words, arcs, entities, labels or answers that the annotator set or changed.
        seconds: active time; 0 if not measured.
        blind: whether suggestions were to be hidden.
        suggested: whether a model had a suggestion, shown or hidden, when the annotator opened the item.
        agreement: share of the suggestion in the annotation, 0 to 1; None without a suggestion or comparison.
    """

    annotator: str
    tokens: int
    edits: int
    seconds: float
    blind: bool = False
    suggested: bool = False
    agreement: float | None = None


@dataclass(frozen=True, slots=True)
class Minutes:
    """A predicted time in minutes with its 80% interval, and the prediction of the published figures."""

    expected: float
    low: float
    high: float
    published: float


@dataclass(frozen=True, slots=True, eq=False)
class TimeModel:
    """A model of the seconds that an annotator needs for an item, a token and an edit.

    Args:
        seconds: coefficients, ``[3]``.
        replicates: coefficients of bootstrap replicates over items and annotators, ``[replicates, 3]``.
        spread: standard deviation of the ln seconds of an item about the model.
        measured: total minutes of the measured items.
        published: minutes predicted for the same items by the published figures.
    """

    seconds: Array
    replicates: Array
    spread: float
    prior: AnnotationTime
    items: int
    measured: float
    published: float

    def predict(self, items: Sequence[tuple[float, float]], seed: int = 0) -> Minutes:
        """Return the predicted minutes for items given as (tokens, expected edits)."""
        design = _design(items)
        seconds = design @ self.replicates.T
        noise = (
            self.spread * np.sqrt((seconds**2).sum(axis=0)) * np.random.default_rng(seed).normal(size=seconds.shape[1])
        )
        low, high = np.quantile(np.maximum(seconds.sum(axis=0) + noise, 0), INTERVAL) / 60
        expected = float((design @ self.seconds).sum() / 60)
        return Minutes(expected, min(float(low), expected), max(float(high), expected), self.prior.minutes(items))


def fit(items: Sequence[TimedItem], prior: AnnotationTime, seed: int = 0) -> TimeModel:
    """Fit a time model to items, usually of one annotator.

    Non-negative least squares of relative errors: each row is divided by its seconds in the published figures, so that
    long items do not dominate. Items without a measured time are ignored; without any measured item, the model equals
    the published figures.

    Raises:
        FewshotError: for negative tokens, edits or seconds.
    """
    timed = _timed(items)
    pairs = [(item.tokens, item.edits) for item in timed]
    published = np.array(prior.seconds)
    made_up = _design([(tokens, tokens * share) for tokens, share in TYPICAL_ITEMS])
    design = np.concatenate([made_up, _design(pairs)])
    scale = np.maximum(design @ published, 0.1)
    seconds = np.concatenate([made_up @ published, [item.seconds for item in timed]])
    weights = (
        np.concatenate([np.full(len(TYPICAL_ITEMS), PRIOR_ITEMS / len(TYPICAL_ITEMS)), np.ones(len(timed))]) / scale**2
    )
    rng = np.random.default_rng(seed)
    coefficients = _solve(design, seconds, weights)
    replicates = np.empty((REPLICATES, 3))
    for number in range(REPLICATES):
        drawn, counts = seconds.copy(), weights.copy()
        drawn[: len(TYPICAL_ITEMS)] *= np.exp(prior.spread * rng.normal())  # an annotator is faster or slower overall
        if timed:
            counts[len(TYPICAL_ITEMS) :] *= rng.multinomial(len(timed), np.full(len(timed), 1 / len(timed)))
        replicates[number] = _solve(design, drawn, counts)
    return TimeModel(
        seconds=coefficients,
        replicates=replicates,
        spread=_spread(timed, _design(pairs) @ coefficients, prior),
        prior=prior,
        items=len(timed),
        measured=sum(item.seconds for item in timed) / 60,
        published=prior.minutes(pairs),
    )


def fit_by_annotator(items: Sequence[TimedItem], prior: AnnotationTime) -> dict[str, TimeModel]:
    """Return a time model for each annotator, by name."""
    names = sorted({item.annotator for item in items})
    return {name: fit([item for item in items if item.annotator == name], prior) for name in names}


def _timed(items: Sequence[TimedItem]) -> list[TimedItem]:
    for item in items:
        if min(item.tokens, item.edits, item.seconds) < 0:
            raise FewshotError(
                f"{item.annotator}: negative value: {item.tokens} tokens, {item.edits} edits, {item.seconds} s"
            )
    return [item for item in items if item.seconds > 0]


def _design(items: Sequence[tuple[float, float]]) -> Array:
    return np.array([(1.0, tokens, edits) for tokens, edits in items], float).reshape(-1, 3)


def _solve(design: Array, seconds: Array, weights: Array) -> Array:
    root = np.sqrt(weights)
    return np.asarray(nnls(design * root[:, None], seconds * root)[0])


def _spread(timed: Sequence[TimedItem], expected: Array, prior: AnnotationTime) -> float:
    """Return the standard deviation of ln seconds about the model; the prior counts as `PRIOR_ITEMS`."""
    logs = np.log([item.seconds for item in timed]) - np.log(np.maximum(expected, 0.1)) if timed else np.zeros(0)
    return float(((PRIOR_ITEMS * prior.spread**2 + (logs**2).sum()) / (PRIOR_ITEMS + len(timed))) ** 0.5)
