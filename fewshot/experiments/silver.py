"""Silver labels: labels by a language model that an encoder trains on in addition to the shots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fewshot.corpora.types import Example
from fewshot.experiments.plan import Cell
from fewshot.training.presets import SILVER_WEIGHT


@dataclass(frozen=True, slots=True)
class SilverLabels:
    """The silver labels of one draw.

    Args:
        examples: examples of the pool with valid labels by the language model.
        asked: usage of the language model, see `fewshot.curves.results.Result.asked`.
        seconds: time that the answers took.
    """

    examples: tuple[Example, ...] = ()
    asked: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0


NO_SILVER = SilverLabels()
"""The silver labels of zero-shot and of experiments without silver labels."""


@dataclass(frozen=True)
class Silver:
    """The labels of one language model for all draws of an experiment; ``str`` describes them to users.

    Args:
        size: number of examples labelled for each draw.
        made_from: fingerprints of everything but the draw that decides a label.
        labelled: labels by cell with seed 0; all seeds of a draw share their labels.
    """

    teacher: str
    device: str
    size: int
    made_from: Mapping[str, Any]
    labelled: Mapping[Cell, SilverLabels]

    def __str__(self) -> str:
        return f"{self.size} asked of {self.teacher} for each draw; they weigh {SILVER_WEIGHT:g}, people's labels 1"

    @property
    def identity(self) -> dict[str, Any]:
        """Fingerprints of everything that silver labels add to what decides a score."""
        return {**self.made_from, "size": self.size, "weight": SILVER_WEIGHT}

    def for_cell(self, cell: Cell) -> SilverLabels:
        """Return the silver labels of a cell."""
        return self.labelled[replace(cell, seed=0)] if cell.k else NO_SILVER
