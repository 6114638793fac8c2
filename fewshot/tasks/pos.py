"""POS: universal part-of-speech tags, scored by accuracy over words (Lauscher et al. 2020, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.tasks.base import Task

if TYPE_CHECKING:
    from fewshot.heads import Head

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
    "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
"""The universal set, whole: a target treebank may use tags that the source never shows."""


class POS(Task[Sentence]):
    """One tag a word."""

    name: ClassVar[str] = "pos"
    title: ClassVar[str] = "POS tagging"
    metric: ClassVar[str] = "accuracy"
    unit: ClassVar[str] = "sentence"
    view: ClassVar = "words"
    labels = UPOS

    def check(self, example: Sentence) -> str | None:
        """Find a tag outside the universal set."""
        for word, tag in zip(example.words, example.upos, strict=True):
            if tag != UNANNOTATED and tag not in self.labels:
                return f"UPOS {tag!r} of {word!r} is none of {', '.join(self.labels)}"
        return None

    def is_annotated(self, example: Sentence) -> bool:
        """Return whether any word has a tag."""
        return any(tag != UNANNOTATED for tag in example.upos)

    def segments(self, example: Sentence) -> Sequence[Sequence[str]]:
        """Return the words."""
        return (example.words,)

    def target(self, example: Sentence) -> list[int]:
        """Return label ids, ``IGNORE`` for words without a tag."""
        from fewshot.heads.classifier import IGNORE

        return [IGNORE if tag == UNANNOTATED else self.labels.index(tag) for tag in example.upos]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over words."""
        from fewshot.heads import Classifier

        return Classifier(hidden, len(self.labels), dropout)

    def annotate(self, example: Sentence, prediction: Sequence[int]) -> Sentence:
        """Set the tags."""
        return example.annotated(upos=tuple(self.labels[label] for label in prediction))

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[correct, annotated]`` words."""
        pairs = [(a, b) for a, b in zip(gold.upos, predicted.upos, strict=True) if a != UNANNOTATED]
        return np.array([sum(a == b for a, b in pairs), len(pairs)])

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return the share of words with the right tag, in percent."""
        correct, total = counts
        return {"accuracy": 100.0 * correct / max(total, 1)}
