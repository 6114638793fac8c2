"""Silver labels: what a language model has labelled for an encoder to learn from, beside what people have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fewshot.corpora.types import Example
from fewshot.experiments.plan import Cell
from fewshot.training.presets import SILVER_WEIGHT


@dataclass(frozen=True, slots=True)
class Labelled:
    """The silver labels of one draw.

    Args:
        examples: of the pool, with the annotation of a language model, in which the task finds no error.
        asked: what that took, see `fewshot.curves.results.Result.asked`.
        seconds: of its answers.
    """

    examples: tuple[Example, ...] = ()
    asked: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0


UNTAUGHT = Labelled()
"""Of zero-shot, and of encoders that learn from people alone."""


@dataclass(frozen=True)
class Silver:
    """What one language model has labelled for the draws of an experiment; ``str`` says it to people.

    Args:
        teacher: the language model.
        device: where it computed.
        size: examples that it was asked about, for each draw.
        made_from: fingerprints of all that decides a label, beside the draw.
        labelled: by cell, of which the seed is 0: all seeds learn the same.
    """

    teacher: str
    device: str
    size: int
    made_from: Mapping[str, Any]
    labelled: Mapping[Cell, Labelled]

    def __str__(self) -> str:
        return f"{self.size} asked of {self.teacher} for each draw; they weigh {SILVER_WEIGHT:g}, people's labels 1"

    @property
    def identity(self) -> dict[str, Any]:
        """The fingerprints of all that it adds to what decides a score."""
        return {**self.made_from, "size": self.size, "weight": SILVER_WEIGHT}

    def of(self, cell: Cell) -> Labelled:
        """Return the labels that a cell learns from."""
        return self.labelled[replace(cell, seed=0)] if cell.k else UNTAUGHT
