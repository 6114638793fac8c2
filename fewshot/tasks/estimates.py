"""Prior estimates of a task, before anybody annotates: price, time, and learning curve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a task's labels.

    Args:
        unit: what annotators are paid for: ``token``, or the task's name of an example, such as ``sentence``.
        wage: dollars per hour, to convert dollars to minutes.
        source: of the figures.
    """

    unit: str
    dollars: float
    wage: float
    source: str


@dataclass(frozen=True, slots=True)
class AnnotationTime:
    """Estimated seconds to annotate an example: item + token * tokens + edit * edits.

    An edit is a word, arc, entity, label or answer that the annotator set or changed.

    Args:
        spread: sd of the ln seconds of annotators and items.
        source: of the figures, or that they are a guess.
    """

    item: float
    token: float
    edit: float
    spread: float
    source: str

    @property
    def seconds(self) -> tuple[float, float, float]:
        """Seconds per item, per token and per edit."""
        return self.item, self.token, self.edit

    def minutes(self, items: Iterable[tuple[float, float]]) -> float:
        """Return the minutes of items given as (tokens, edits)."""
        return float(sum(self.item + self.token * tokens + self.edit * edits for tokens, edits in items) / 60)


@dataclass(frozen=True, slots=True)
class CurvePrior:
    """Prior of a learning curve ``ln(100 - score) = level - slope ln(k + knee)``; sd are normal.

    Estimated by ``tests/benchmarks/curve_fits.py --priors`` from random shots: Lauscher et al. 2020, Table 5 (mBERT;
    without topics), and docs/measured/few_shot (*mini*).

    Args:
        slope: mean of the slope; its sd is over languages and encoders.
        noise: sd of the ln error of one shot set about the curve.
        drift: sd of the ln error beyond the last point, per square root of ln k.
        knee: mean of ln k0, k0 in examples (articles for QA).
    """

    slope: float
    slope_sd: float
    noise: float
    drift: float = 0.0
    knee: float = 2.0
    knee_sd: float = 2.0


ANY_TIME = AnnotationTime(item=4.0, token=0.3, edit=2.0, spread=0.8, source="guess: as NLI")
"""Default for tasks without an estimate."""

ANY_CURVE = CurvePrior(slope=0.089, slope_sd=0.080, noise=0.043, drift=0.023)
"""Mean of the estimated priors, with their spread, for tasks that were not measured."""
