"""Correlations over languages, of which there are few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from scipy import stats

Numbers = Sequence[float] | np.ndarray
"""One a language."""

LEAST = 4
"""Languages; of fewer no correlation is given, nor could it be significant."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient and how sure it is.

    Args:
        r: from -1 to 1; NaN where there are too few languages, or one side does not vary.
        p: two-sided, that there is none.
        n: languages.
        low: lower end of the 95% interval; NaN where it is not known.
        high: upper end.
    """

    r: float
    p: float
    n: int
    low: float = nan
    high: float = nan

    def __str__(self) -> str:
        if np.isnan(self.r):
            return "–"
        interval = "" if np.isnan(self.low) else f" [{self.low:.2f}, {self.high:.2f}]"
        return f"{self.r:.2f}{interval}, p {'< 0.001' if self.p < 0.001 else f'= {self.p:.3f}'}"


def pearson(x: Numbers, y: Numbers) -> Correlation:
    """Return Pearson's r; p by Student's t, the interval by Fisher's z."""
    if not _varied(x, y):
        return Correlation(nan, nan, len(x))
    found = stats.pearsonr(x, y)
    low, high = found.confidence_interval(0.95)
    return Correlation(float(found.statistic), float(found.pvalue), len(x), float(low), float(high))


def spearman(x: Numbers, y: Numbers) -> Correlation:
    """Return Spearman's rank correlation; p by permutation: all of them for up to 7 languages, else 9,999 draws."""
    if not _varied(x, y):
        return Correlation(nan, nan, len(x))

    ranks, others = (_standard(stats.rankdata(side)) for side in (x, y))

    def statistic(order: np.ndarray, axis: int) -> np.ndarray:
        return (np.moveaxis(order, axis, -1) * others).mean(-1)

    tested = stats.permutation_test((ranks,), statistic, permutation_type="pairings", vectorized=True, rng=0)
    return Correlation(float(tested.statistic), float(tested.pvalue), len(x))


def _varied(x: Numbers, y: Numbers) -> bool:
    return len(x) >= LEAST and len(set(x)) > 1 and len(set(y)) > 1


def _standard(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std()
