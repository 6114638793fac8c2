"""A new task in one file: whether a word is a content word or a function word, kept in the UPOS column."""

from typing import ClassVar

import numpy as np

from fewshot.corpora.types import UNANNOTATED, Sentence
from fewshot.encoders.pieces import Input, View
from fewshot.tasks.base import Task, shares


class Content(Task[Sentence]):
    """One of two labels a word."""

    name = "content"
    title: ClassVar[str] = "content words"
    metric: ClassVar[str] = "accuracy"
    example: ClassVar = Sentence
    unit: ClassVar[str] = "sentence"
    view: ClassVar = View("words")
    columns: ClassVar = ("upos",)
    nominal: ClassVar[str] = "words"
    labels = ("content", "function")
    editor: ClassVar[str] = "tags"

    def check(self, example):
        wrong = set(example.upos) - {*self.labels, UNANNOTATED}
        return f"{wrong.pop()!r} is none of {', '.join(self.labels)}" if wrong else None

    def is_annotated(self, example):
        return any(label != UNANNOTATED for label in example.upos)

    def inputs(self, example):
        return [Input((example.words,))]

    def targets(self, example):
        return [[self.labels.index(label) for label in example.upos]]

    def head(self, hidden, dropout):
        from fewshot.heads import Classifier

        return Classifier(hidden, len(self.labels), dropout)

    def annotate(self, example, predictions):
        return example.annotated(upos=tuple(self.labels[label] for label in predictions[0]))

    def suggestion(self, example, predictions, probabilities):
        labels = [self.labels[label] for label in predictions[0]]
        return {"annotation": {"upos": labels}, "confidence": shares(probabilities[0].max(1))}

    def counts(self, gold, predicted):
        return np.array([sum(a == b for a, b in zip(gold.upos, predicted.upos, strict=True)), gold.length])

    def metrics(self, counts):
        return {"accuracy": 100 * counts[0] / max(counts[1], 1)}

    def marks(self, example):
        return dict(enumerate(example.upos))
