"""The fitted curve for plots, within and beyond the measured range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewshot import tasks
from fewshot.curves import fits
from fewshot.curves.advice import next_ks
from fewshot.curves.points import Curve

NUM_POINTS = 30
"""Number of k in a drawn forecast, up to the last measured point and again beyond it."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A fitted curve from the first k > 0 to the next step beyond the last point.

    Args:
        k: ascending numbers of shots.
        low: lower ends of the 80% band.
        high: upper ends.
        measured: number of k that are not beyond the last point.
    """

    k: tuple[float, ...]
    score: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    tokens: tuple[float, ...]
    minutes: tuple[float, ...]
    dollars: tuple[float, ...]
    measured: int


def forecast(curve: Curve) -> Forecast | None:
    """Return the fitted curve of a curve's scores, or None without shots."""
    ks = [point.k for point in curve.points if point.k]
    if not ks or not curve.scores:
        return None
    measured = np.geomspace(ks[0], ks[-1], NUM_POINTS) if len(ks) > 1 else np.array(ks, float)
    shots = np.concatenate([measured, np.geomspace(ks[-1], next_ks(curve)[0], NUM_POINTS)])
    fitted = fits.fit(curve.scores, tasks.get(curve.task).curve)
    low, high = fitted.band(shots)
    return Forecast(
        k=tuple(shots),
        score=tuple(fitted.predict(shots)),
        low=tuple(low),
        high=tuple(high),
        tokens=tuple(interpolate(curve, "tokens", shots)),
        minutes=tuple(interpolate(curve, "minutes", shots)),
        dollars=tuple(interpolate(curve, "dollars", shots)),
        measured=len(measured),
    )


def interpolate(curve: Curve, field: str, ks: Sequence[float] | fits.Array) -> fits.Array:
    """Return tokens, minutes or dollars at any k, by linear interpolation and extrapolation of the points."""
    known = np.array([point.k for point in curve.points], float)
    values = np.array([getattr(point, field) for point in curve.points], float)
    shots = np.asarray(ks, float)
    inside = np.interp(shots, known, values)
    if len(known) < 2:
        return np.asarray(inside)
    slope = max(values[-1] - values[-2], 0.0) / (known[-1] - known[-2])
    return np.asarray(np.where(shots > known[-1], values[-1] + slope * (shots - known[-1]), inside))
