"""NER: persons, organisations and locations as IOB2 tags.

The score is the F1 of entity spans, strict IOB2 as in seqeval; beside it stands token accuracy, which is what
Lauscher et al. 2020 (section 3.1) report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from seqeval.scheme import IOB2, Entities

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.base import Task

if TYPE_CHECKING:
    from fewshot.heads import Head

TYPES = ("PER", "ORG", "LOC")


class NER(Task[Sentence]):
    """One IOB2 tag a word."""

    name = "ner"
    title: ClassVar[str] = "named entity recognition"
    metric: ClassVar[str] = "f1"
    example: ClassVar = Sentence
    unit: ClassVar[str] = "sentence"
    view: ClassVar = View("words")
    labels = ("O", *(f"{prefix}-{kind}" for kind in TYPES for prefix in "BI"))

    def check(self, example: Sentence) -> str | None:
        """Find a tag outside the label set; an ``I-`` that continues nothing is read as in `from_iob1`."""
        for word, tag in zip(example.words, example.entities, strict=True):
            if tag != UNANNOTATED and tag not in self.labels:
                return f"entity tag {tag!r} of {word!r} is none of {', '.join(self.labels)}"
        return None

    def is_annotated(self, example: Sentence) -> bool:
        """Return whether any word has a tag; a sentence without entities is annotated with ``O``."""
        return any(tag != UNANNOTATED for tag in example.entities)

    def inputs(self, example: Sentence) -> list[Input]:
        """Return the words."""
        return [Input((example.words,))]

    def targets(self, example: Sentence) -> list[list[int]]:
        """Return label ids, ``IGNORE`` for words without a tag."""
        from fewshot.heads.classifier import IGNORE

        tags = from_iob1(example.entities)
        return [[IGNORE if tag == UNANNOTATED else self.labels.index(tag) for tag in tags]]

    def head(self, hidden: int, dropout: float) -> Head:
        """Build a softmax classifier over words."""
        from fewshot.heads import Classifier

        return Classifier(hidden, len(self.labels), dropout)

    def annotate(self, example: Sentence, predictions: Sequence[Sequence[int]]) -> Sentence:
        """Set the tags, repaired to valid IOB2."""
        (labels,) = predictions
        return example.annotated(entities=repair([self.labels[label] for label in labels]))

    def counts(self, gold: Sentence, predicted: Sentence) -> np.ndarray:
        """Return ``[spans right, spans predicted, spans in gold, tags right, words annotated]``."""
        both = zip(from_iob1(gold.entities), predicted.entities, strict=True)
        pairs = [(a, b) for a, b in both if a != UNANNOTATED]
        true, guess = spans([a for a, _ in pairs]), spans([b for _, b in pairs])
        return np.array([len(true & guess), len(guess), len(true), sum(a == b for a, b in pairs), len(pairs)])

    def metrics(self, counts: np.ndarray) -> Mapping[str, float]:
        """Return span F1, precision, recall and token accuracy, in percent."""
        right, guessed, true, tags, words = counts
        return {
            "f1": 200.0 * right / max(guessed + true, 1),
            "precision": 100.0 * right / max(guessed, 1),
            "recall": 100.0 * right / max(true, 1),
            "token_accuracy": 100.0 * tags / max(words, 1),
        }


def from_iob1(tags: Sequence[str]) -> tuple[str, ...]:
    """Make gold tags valid IOB2: an ``I-X`` that continues no X begins one, as IOB1 means it; IOB2 stays as it is."""
    pairs = zip(("O", *tags), tags, strict=False)
    return tuple(f"B-{tag[2:]}" if tag[:2] == "I-" and before[2:] != tag[2:] else tag for before, tag in pairs)


def repair(tags: Sequence[str]) -> tuple[str, ...]:
    """Make predicted tags valid IOB2 (Wu & Dredze 2020, section 3).

    A lone ``I-X`` becomes ``B-X``; inside a run, the last tag's type holds for the whole: ``B-X I-Y`` becomes
    ``B-Y I-Y``.
    """
    repaired = list(tags)
    start = 0
    for place, tag in enumerate(repaired):
        if not tag.startswith("I-"):
            start = place
        elif place == 0 or repaired[place - 1] == "O":
            repaired[place] = f"B-{tag[2:]}"
            start = place
        elif repaired[place - 1][2:] != tag[2:]:
            repaired[start:place] = [f"{old[0]}-{tag[2:]}" for old in repaired[start:place]]
    return tuple(repaired)


def spans(tags: Sequence[str]) -> set[tuple[str, int, int]]:
    """Return ``(type, start, end)`` of every entity, strict IOB2."""
    return {entity.to_tuple()[1:] for sentence in Entities([list(tags)], IOB2).entities for entity in sentence}
