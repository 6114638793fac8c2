"""Learning rate schedules, as shares of the peak; steps are counted from 0."""

from __future__ import annotations


def fine_tuning(step: int, updates: int, warmup: float) -> float:
    """Return the rate, 0 to 1, at a step: it rises for a share of the updates, then falls linearly to 0."""
    rising = round(warmup * updates)
    return (step + 1) / (rising + 1) if step < rising else (updates - step) / max(1, updates - rising)


def linear(step: int, updates: int) -> float:
    """Return the rate, 0 to 1, at a step: it rises for a tenth of the updates, then falls linearly to 0."""
    rising = max(1, updates // 10)
    return min((step + 1) / rising, (updates - step) / max(1, updates - rising))


def inverse_sqrt(step: int, updates: int) -> float:
    """Return the rate, 0 to 1, at a step: it rises for a tenth, then falls as 1 / sqrt(step)."""
    rising = max(1, updates // 10)
    return min((step + 1) / rising, float((rising / (step + 1)) ** 0.5))


def by_share(share: float) -> float:
    """Return the rate, 0 to 1, when a share of a training is done.

    It rises for a tenth of the training, then falls linearly to 0.
    """
    return max(0.0, min(share / 0.1, (1 - share) / (1 - 0.1)))
