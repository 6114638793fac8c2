"""Bootstrap intervals of any score that is a function of summed counts (Efron & Tibshirani 1993)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

RESAMPLES = 1000

Z = 1.96
"""Standard normal quantile of a two-sided 95% interval."""


def wilson(score: float, n: int) -> tuple[float, float]:
    """Return the 95% score interval of a share, in percent (Wilson 1927).

    Brown, Cai & DasGupta 2001 recommend it for small n. For 5 out of 5 it is 56.6 to 100.

    Args:
        score: the share, in percent.
        n: number of trials; at least one.
    """
    p = score / 100
    centre, half = p + Z**2 / (2 * n), Z * (p * (1 - p) / n + Z**2 / (4 * n**2)) ** 0.5
    low, high = ((centre + side * half) / (1 + Z**2 / n) for side in (-1, 1))
    return 100 * max(low, 0.0), 100 * min(high, 1.0)


def interval(counts: np.ndarray, score: Callable[[np.ndarray], float], seed: int = 0) -> tuple[float, float]:
    """Resample examples and return the 95% percentile interval of the score.

    If all resamples have the same score (a perfect model, a single test example), the bootstrap interval would be too
    narrow: then the interval is that of `wilson`, with each example as one trial.

    Args:
        counts: ``[examples, counts]``.
        score: maps summed counts ``[counts]`` to a score, in percent.
    """
    rng = np.random.default_rng(seed)
    n = len(counts)
    draws = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    scores = [score(total) for total in draws @ counts]
    low, high = np.percentile(scores, [2.5, 97.5])
    return (float(low), float(high)) if high - low > 1e-9 else wilson(score(counts.sum(0)), n)
