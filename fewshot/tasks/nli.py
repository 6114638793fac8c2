"""NLI: entailment, contradiction or neither, of a premise and a hypothesis.

Other classifications of pairs, such as paraphrase detection, work the same way (Lauscher et al. 2020, section 3.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from fewshot.corpora.types import Pair
from fewshot.corpora.words import words
from fewshot.encoders.pieces import Input
from fewshot.tasks.choice import ChoiceTask
from fewshot.tasks.estimates import AnnotationTime, CurvePrior, Price


class NLI(ChoiceTask[Pair]):
    """One label per pair."""

    name = "nli"
    title = "natural language inference"
    example: ClassVar = Pair
    reads: ClassVar[tuple[str, ...]] = ("premise", "hypothesis")
    labels = ("entailment", "neutral", "contradiction")
    price = Price(
        unit="item",
        dollars=0.01015,
        wage=9.00,
        source="Marelli et al. 2014: $2,030 for 200,000 judgments, about ten an item there; minutes at an assumed $9/h",
    )
    time = AnnotationTime(item=4.0, token=0.3, edit=2.0, spread=0.8, source="guess: no verified seconds are published")
    curve = CurvePrior(slope=0.014, slope_sd=0.030, noise=0.030, drift=0.04)

    def inputs(self, example: Pair) -> list[Input]:
        """Return premise and hypothesis."""
        return [Input((words(example.premise), words(example.hypothesis)))]

    def counts(self, gold: Pair, predicted: Pair) -> np.ndarray:
        """Return ``[right, 1]``."""
        return np.array([gold.label == predicted.label, 1])

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return the share of pairs with the right label, in percent."""
        right, total = counts
        return {"accuracy": 100.0 * right / max(total, 1)}
