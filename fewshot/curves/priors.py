"""What learning curves of a task are like before there are points."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prior:
    """What is known of ``ln(100 - score) = level - slope ln(k + knee)`` beforehand; sd are of normal distributions.

    Args:
        slope: mean of the exponent b.
        slope_sd: its sd over languages and encoders.
        noise: sd of the ln error of one shot set about the curve.
        drift: sd of the ln error beyond the last point, by the square root of ln k.
        knee: mean of ln k0, k0 in examples (articles for QA).
        knee_sd: its sd.
    """

    slope: float
    slope_sd: float
    noise: float
    drift: float = 0.0
    knee: float = 2.0
    knee_sd: float = 2.0


PRIORS = {
    "pos": Prior(slope=0.222, slope_sd=0.111, noise=0.078),
    "dep": Prior(slope=0.157, slope_sd=0.078, noise=0.041),
    "ner": Prior(slope=0.129, slope_sd=0.065, noise=0.058),
    "nli": Prior(slope=0.018, slope_sd=0.03, noise=0.036, drift=0.03),
    "qa": Prior(slope=0.025, slope_sd=0.03, noise=0.008),
}
"""Learnt by ``tests/benchmarks/curve_fits.py --priors`` from Lauscher et al. 2020, Table 5 (mBERT, random sampling)."""

ANY = Prior(slope=0.11, slope_sd=0.088, noise=0.044, drift=0.006)
"""The mean of these, as wide as they differ: for tasks that were not measured there."""


def load(task: str) -> Prior:
    """Return the prior of a task; its options do not change it, and a task without one has that of all tasks."""
    return PRIORS.get(task.partition("+")[0], ANY)
