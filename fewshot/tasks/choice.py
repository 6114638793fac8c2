"""Tasks with one label per text or pair of texts."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Document, Pair
from fewshot.encoders.pieces import View
from fewshot.tasks.base import Task, shares

if TYPE_CHECKING:
    from fewshot.heads import Head

E = TypeVar("E", Pair, Document)


class ChoiceTask(Task[E]):
    """One label per example, from the sequence-start vector."""

    unit: ClassVar[str] = "item"
    hub: ClassVar[str] = "text-classification"
    columns: tuple[str, ...] = ("label",)
    editor: ClassVar[str] = "choice"
    view: ClassVar[View] = View("sequence", limit=128)
    metric = "accuracy"
    nominal: ClassVar[str] = "items"
    open = True

    def check(self, example: E) -> str | None:
        """Return an error for a label outside the label space, unless that is empty."""
        if not self.labels or example.label in self.labels:
            return None
        return f"label {example.label!r} is none of {', '.join(self.labels)}"

    def is_annotated(self, example: E) -> bool:
        """Return whether there is a label."""
        return example.label != UNANNOTATED

    def targets(self, example: E) -> list[list[int]]:
        """Return the label's id."""
        return [[self.labels.index(example.label)]]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over the sequence-start vector."""
        from fewshot.heads import Classifier

        return Classifier(hidden, len(self.labels), dropout)

    def annotate(self, example: E, predictions: Sequence[Sequence[int]]) -> E:
        """Set the label."""
        ((label,),) = predictions
        return replace(example, label=self.labels[label])

    def suggestion(
        self, example: E, predictions: Sequence[Sequence[int]], probabilities: Sequence[np.ndarray]
    ) -> dict[str, Any]:
        """Return the ``label``."""
        (labels,), (known,) = predictions, probabilities
        return {"annotation": {"label": self.labels[labels[0]]}, "confidence": shares(known[0, labels])}

    def masked(self, example: E) -> E:
        """Return the example without a label that the task does not have."""
        return example if example.label in self.labels else example.unannotated()

    def marks(self, example: E) -> dict[Hashable, str]:
        """Return the label of the example."""
        return {0: example.label}
