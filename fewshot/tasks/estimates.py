"""What is known of a task before anybody annotates: price, time, and what learning curves are like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a task's labels.

    Args:
        unit: what annotators are paid for: ``token``, or what the task calls an example, such as ``sentence``.
        dollars: a unit.
        wage: dollars an hour, from which minutes follow.
        source: where the figures are from.
    """

    unit: str
    dollars: float
    wage: float
    source: str


@dataclass(frozen=True, slots=True)
class AnnotationTime:
    """Seconds that annotating an example takes, before anybody was measured: item + token * tokens + edit * edits.

    An edit is a word, arc, entity, label or answer that the annotator set or changed.

    Args:
        item: seconds an item.
        token: seconds a token.
        edit: seconds an edit.
        spread: sd of the ln seconds of annotators and items about that.
        source: where the figures are from, or that they are a guess.
    """

    item: float
    token: float
    edit: float
    spread: float
    source: str

    @property
    def seconds(self) -> tuple[float, float, float]:
        """Of an item, a token and an edit."""
        return self.item, self.token, self.edit

    def minutes(self, items: Iterable[tuple[float, float]]) -> float:
        """Return the minutes of items given as (tokens, edits)."""
        return float(sum(self.item + self.token * tokens + self.edit * edits for tokens, edits in items) / 60)


@dataclass(frozen=True, slots=True)
class CurvePrior:
    """What is known of ``ln(100 - score) = level - slope ln(k + knee)`` beforehand; sd are of normal distributions.

    The tasks' own were learnt by ``tests/benchmarks/curve_fits.py --priors`` from random shots: Lauscher et al. 2020,
    Table 5 (mBERT; not of topics), and docs/measured/few_shot (*mini*).

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


ANY_TIME = AnnotationTime(item=4.0, token=0.3, edit=2.0, spread=0.8, source="guess: as NLI")
"""Of a task that says nothing else."""

ANY_CURVE = CurvePrior(slope=0.085, slope_sd=0.081, noise=0.033, drift=0.02)
"""The mean of those that were learnt, as wide as they differ: for a task that was not measured."""
