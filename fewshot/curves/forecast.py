"""The fitted curve beside the points: what is drawn dashed beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewshot import tasks
from fewshot.curves import fits
from fewshot.curves.advice import next_ks
from fewshot.curves.points import Curve

PLACES = 30
"""Number of k at which a forecast is drawn, up to the last point and again beyond it."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A fitted curve, from the first k > 0 to the next rung beyond the last point.

    Args:
        k: rising.
        score: expected, in percent.
        low: lower end of the 80% band.
        high: upper end.
        tokens: of that many shots.
        minutes: of annotating them.
        dollars: of annotating them and of computing.
        measured: how many of the k are not beyond the last point.
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
    """Return the fitted curve of a curve's runs; None where there are no shots yet."""
    ks = [point.k for point in curve.points if point.k]
    if not ks or not curve.scores:
        return None
    seen = np.geomspace(ks[0], ks[-1], PLACES) if len(ks) > 1 else np.array(ks, float)
    places = np.concatenate([seen, np.geomspace(ks[-1], next_ks(curve)[0], PLACES)])
    fitted = fits.fit(curve.scores, tasks.get(curve.task).curve)
    low, high = fitted.band(places)
    return Forecast(
        k=tuple(places),
        score=tuple(fitted.predict(places)),
        low=tuple(low),
        high=tuple(high),
        tokens=tuple(along(curve, "tokens", places)),
        minutes=tuple(along(curve, "minutes", places)),
        dollars=tuple(along(curve, "dollars", places)),
        measured=len(seen),
    )


def along(curve: Curve, what: str, ks: Sequence[float] | fits.Array) -> fits.Array:
    """Return tokens, minutes or dollars at any k: on the lines between the points, beyond them on the last."""
    known = np.array([point.k for point in curve.points], float)
    values = np.array([getattr(point, what) for point in curve.points], float)
    places = np.asarray(ks, float)
    inside = np.interp(places, known, values)
    if len(known) < 2:
        return np.asarray(inside)
    slope = max(values[-1] - values[-2], 0.0) / (known[-1] - known[-2])
    return np.asarray(np.where(places > known[-1], values[-1] + slope * (places - known[-1]), inside))
