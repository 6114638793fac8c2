"""Predict a test set and score it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import torch

from fewshot import tasks
from fewshot.corpora.types import Example
from fewshot.encoders.pieces import Pieces
from fewshot.encoders.vectors import collate
from fewshot.errors import FewshotError
from fewshot.evaluation.bootstrap import interval
from fewshot.training.batching import padding_id, prediction_batches
from fewshot.training.model import Model

E = TypeVar("E", bound=Example)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The score of a model on a test set.

    Args:
        metric: name of the score.
        score: in percent.
        low: lower end of the 95% bootstrap interval over test examples.
        high: upper end.
        metrics: the score and what stands beside it, in percent.
        examples: number of test examples.
    """

    metric: str
    score: float
    low: float
    high: float
    metrics: Mapping[str, float]
    examples: int

    def __str__(self) -> str:
        return f"{self.score:.1f} [{self.low:.1f}, {self.high:.1f}] {self.metric}"


@torch.inference_mode()
def predict(model: Model, examples: Sequence[E], pieces: Sequence[Sequence[Pieces]] | None = None) -> list[E]:
    """Return the examples with the model's annotation in place of their own.

    Args:
        model: in evaluation mode, on any device.
        examples: what to annotate; every word gets a prediction, however long the sentence.
        pieces: the examples encoded, if they are already.
    """
    pieces = model.encode(examples) if pieces is None else pieces
    device = next(model.parameters()).device
    inputs = [one for each in pieces for one in each]
    predictions: list[Any] = [None] * len(inputs)
    for rows in prediction_batches([one.size for one in inputs]):
        batch = collate([inputs[row] for row in rows], padding_id(model)).to(device)
        for row, prediction in zip(rows, model.head.decode(model(batch), batch.mask), strict=True):
            predictions[row] = prediction
    rest = iter(predictions)
    pairs = zip(examples, pieces, strict=True)
    return [model.task.annotate(example, list(islice(rest, len(each)))) for example, each in pairs]


def evaluate(model: Model, test: Sequence[Example], pieces: Sequence[Sequence[Pieces]] | None = None) -> Evaluation:
    """Score a model on a test set.

    Args:
        model: in evaluation mode.
        test: annotated examples.
        pieces: the examples encoded, if they are already.

    Raises:
        FewshotError: when there is no example, or one is not annotated.
    """
    task = model.task
    if not test:
        raise FewshotError("no example to score; give at least one")
    tasks.check_gold(task, test)
    predicted = predict(model, test, pieces)
    counts = np.stack([task.counts(gold, guess) for gold, guess in zip(test, predicted, strict=True)])
    metrics = dict(task.metrics(counts.sum(0)))
    low, high = interval(counts, lambda total: task.metrics(total)[task.metric])
    return Evaluation(task.metric, metrics[task.metric], low, high, metrics, len(test))
