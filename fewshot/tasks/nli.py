"""NLI: whether the premise entails the hypothesis, contradicts it, or neither (Lauscher et al. 2020, section 3.1)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Pair
from fewshot.corpora.words import words
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.base import Task, shares
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price

if TYPE_CHECKING:
    from fewshot.heads import Head


class NLI(Task[Pair]):
    """One label a pair, from the sequence-start vector."""

    name = "nli"
    title: ClassVar[str] = "natural language inference"
    metric: ClassVar[str] = "accuracy"
    example: ClassVar = Pair
    unit: ClassVar[str] = "item"
    view: ClassVar = View("sequence", limit=128)
    reads: ClassVar[tuple[str, ...]] = ("premise", "hypothesis")
    hub: ClassVar[str] = "text-classification"
    nominal: ClassVar[str] = "items"
    labels = ("entailment", "neutral", "contradiction")
    columns: ClassVar = ("label",)
    editor: ClassVar[str] = "choice"
    price = Price(
        unit="item",
        dollars=0.01015,
        wage=9.00,
        source="Marelli et al. 2014: $2,030 for 200,000 judgments, about ten an item there; minutes at an assumed $9/h",
    )
    time = AnnotationTime(item=4.0, token=0.3, edit=2.0, spread=0.8, source="guess: no verified seconds are published")
    curve = CurvePrior(slope=0.018, slope_sd=0.03, noise=0.036, drift=0.03)

    def check(self, example: Pair) -> str | None:
        """Find a label that is none of the three."""
        return None if example.label in self.labels else f"label {example.label!r} is none of {', '.join(self.labels)}"

    def is_annotated(self, example: Pair) -> bool:
        """Return whether there is a label."""
        return example.label != UNANNOTATED

    def inputs(self, example: Pair) -> list[Input]:
        """Return premise and hypothesis."""
        return [Input((words(example.premise), words(example.hypothesis)))]

    def targets(self, example: Pair) -> list[list[int]]:
        """Return the label's id."""
        return [[self.labels.index(example.label)]]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over the sequence-start vector."""
        from fewshot.heads import Classifier

        return Classifier(hidden, len(self.labels), dropout)

    def annotate(self, example: Pair, predictions: Sequence[Sequence[int]]) -> Pair:
        """Set the label."""
        ((label,),) = predictions
        return replace(example, label=self.labels[label])

    def suggestion(
        self, example: Pair, predictions: Sequence[Sequence[int]], probabilities: Sequence[np.ndarray]
    ) -> dict[str, Any]:
        """Return the ``label``."""
        (labels,), (known,) = predictions, probabilities
        return {"annotation": {"label": self.labels[labels[0]]}, "confidence": shares(known[0, labels])}

    def counts(self, gold: Pair, predicted: Pair) -> np.ndarray:
        """Return ``[right, 1]``."""
        return np.array([gold.label == predicted.label, 1])

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return the share of pairs with the right label, in percent."""
        right, total = counts
        return {"accuracy": 100.0 * right / max(total, 1)}

    def marks(self, example: Pair) -> dict[Hashable, str]:
        """Return the pair's label."""
        return {0: example.label}
