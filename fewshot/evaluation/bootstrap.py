"""Bootstrap intervals of any score that is a function of summed counts (Efron & Tibshirani 1993)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

RESAMPLES = 1000


def interval(counts: np.ndarray, score: Callable[[np.ndarray], float], seed: int = 0) -> tuple[float, float]:
    """Resample examples and return the 95% percentile interval of the score.

    Args:
        counts: ``[examples, counts]``.
        score: maps summed counts ``[counts]`` to a score.
        seed: of the resampling.

    Returns:
        ``(low, high)``.
    """
    rng = np.random.default_rng(seed)
    n = len(counts)
    draws = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    scores = [score(total) for total in draws @ counts]
    low, high = np.percentile(scores, [2.5, 97.5])
    return float(low), float(high)
