"""Tasks with one label per text or pair of texts, or with several."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from fewshot.corpora.types import SEPARATOR, UNANNOTATED, Document, Pair
from fewshot.encoders.pieces import View
from fewshot.tasks.base import Task, shares

if TYPE_CHECKING:
    from fewshot.heads import Head

E = TypeVar("E", Pair, Document)


class ChoiceTask(Task[E]):
    """One label per example, or several, from the sequence-start vector."""

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
        names: list[str] = self.names(example)
        if len({*names}) < len(names):
            return f"label {example.label!r} has the same label twice; write each once"
        parts: list[str] = example.label.split(SEPARATOR)
        if not self.several and len(parts) > 1 and {*parts} <= {*self.labels}:
            hint = f", or choose the task {self.name}+several" if "several" in self.options else ""
            return f"label {example.label!r} names several labels; leave one{hint}"
        wrong = [name for name in names if self.labels and name not in self.labels]
        return f"label {wrong[0]!r} is none of {', '.join(self.labels)}" if wrong else None

    def names(self, example: E) -> list[str]:
        """Return the labels of an example, one unless the task allows several."""
        return example.label.split(SEPARATOR) if self.several else [example.label]

    def joined(self, names: Iterable[str]) -> str:
        """Return several labels as one text, in the order of the alphabet."""
        return SEPARATOR.join(sorted(names))

    def labels_of(self, example: E) -> set[str]:
        """Return the labels of an example."""
        return {*self.names(example)} - {UNANNOTATED}

    def is_annotated(self, example: E) -> bool:
        """Return whether there is a label."""
        return example.label != UNANNOTATED

    def targets(self, example: E) -> list[list[int]]:
        """Return the ids of the labels."""
        return [[self.labels.index(name) for name in self.names(example)]]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over the sequence-start vector."""
        from fewshot.heads import Classifier, SeveralClassifier

        return (SeveralClassifier if self.several else Classifier)(hidden, len(self.labels), dropout)

    def annotate(self, example: E, predictions: Sequence[Sequence[int]]) -> E:
        """Set the label, or several."""
        (labels,) = predictions
        return replace(example, label=self.joined(self.labels[label] for label in labels))

    def suggestion(
        self, example: E, predictions: Sequence[Sequence[int]], probabilities: Sequence[np.ndarray]
    ) -> dict[str, Any]:
        """Return the ``label``; the confidence in several is their sum."""
        (labels,), (known,) = predictions, probabilities
        label = self.joined(self.labels[label] for label in labels)
        return {"annotation": {"label": label}, "confidence": shares(known[0, labels].sum(keepdims=True))}

    def masked(self, example: E) -> E:
        """Return the example without a label that the task does not have."""
        return example if {*self.names(example)} <= {*self.labels} else example.unannotated()

    def marks(self, example: E) -> dict[Hashable, str]:
        """Return the label of the example; several are one, in any order."""
        return {0: self.joined(self.names(example))}
