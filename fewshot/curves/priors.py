"""What learning curves of a task are like before there are points: ``data/curves.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from fewshot.corpora.embedded import data_dir


@dataclass(frozen=True, slots=True)
class Prior:
    """What is known of ``ln error = level - slope ln(k + knee)`` beforehand; sd are those of a normal distribution.

    Args:
        slope: mean of the exponent b.
        slope_sd: its sd over languages and encoders.
        knee: mean of ln k0, k0 in examples.
        knee_sd: its sd.
        noise: sd of the ln error of one shot set about the curve.
        drift: sd of the ln error beyond the last point, by the square root of ln k.
        source: where the figures are from.
    """

    slope: float
    slope_sd: float
    knee: float
    knee_sd: float
    noise: float
    drift: float
    source: str


def load(task: str) -> Prior:
    """Return the prior of a task; its options do not change it, and a task without one has that of all tasks."""
    tables = _tables()
    return Prior(**tables.get(task.partition("+")[0], tables["any"]))


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads((data_dir() / "curves.toml").read_text(encoding="utf-8"))
