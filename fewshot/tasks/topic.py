"""TOPIC: the subject of a document; accuracy and macro-F1 (Wu & Dredze 2019, section 4).

With several subjects, `Document` has them joined, and the score is their F1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import ClassVar

import numpy as np

from fewshot.corpora.types import Document
from fewshot.corpora.words import words
from fewshot.encoders.pieces import Input
from fewshot.tasks.choice import ChoiceTask
from fewshot.tasks.estimates import CurvePrior, Price

END = re.compile(r"[.!?।؟]+(?=\s|$)|[。！？]+")
"""The end of a sentence, roughly: closing marks before a space, or full-width ones."""

LEAD = 2
"""Sentences that the option ``lead`` keeps."""


class TOPIC(ChoiceTask[Document]):
    """One topic per document, or several."""

    name = "topic"
    title = "document classification"
    example: ClassVar = Document
    reads: ClassVar[tuple[str, ...]] = ("document",)
    options: ClassVar = {
        "lead": "read the first two sentences only (Wu & Dredze 2019, section 4)",
        "several": "a document may have several topics, such as sports|health",
    }
    labels = ()
    price = Price(unit="item", dollars=0.01015, wage=9.00, source="estimate: as a judgment of NLI")
    curve = CurvePrior(slope=0.022, slope_sd=0.036, noise=0.050, drift=0.02)

    def __init__(self, chosen: Sequence[str] = (), labels: Sequence[str] | None = None) -> None:
        super().__init__(chosen, labels)
        if "several" in self.chosen:
            self.several, self.metric = True, "f1"
            self.title = "document classification with several topics"

    def inputs(self, example: Document) -> list[Input]:
        """Return the text, or its first two sentences."""
        return [Input((words(lead(example.text) if "lead" in self.chosen else example.text),))]

    def counts(self, gold: Document, predicted: Document) -> np.ndarray:
        """Return ``[right, predicted, in gold]`` of each topic, one topic after the other."""
        table = np.zeros((len(self.labels), 3), dtype=int)
        guesses = self.names(predicted)
        for topic in self.names(gold):
            row = self.labels.index(topic)
            table[row, 0], table[row, 2] = topic in guesses, 1
        for guess in guesses:
            if guess in self.labels:  # a model may have further topics
                table[self.labels.index(guess), 1] = 1
        return table.ravel()

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return accuracy (F1 of several topics), and the mean F1 of the topics that occur, in percent."""
        right, predicted, gold = counts.reshape(-1, 3).T
        seen = predicted + gold > 0
        f1 = 200.0 * right[seen] / (predicted + gold)[seen]
        decisions = (predicted.sum() + gold.sum()) / 2 if self.several else gold.sum()
        return {
            self.metric: 100.0 * right.sum() / max(decisions, 1),
            "macro_f1": float(f1.mean()) if seen.any() else 0.0,
        }


def lead(text: str, sentences: int = LEAD) -> str:
    """Return the first sentences of a text."""
    ends = [match.end() for match in islice(END.finditer(text), sentences)]
    return text[: ends[-1]] if len(ends) == sentences else text
