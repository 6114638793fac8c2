"""Predict a test set and score it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from fewshot import tasks
from fewshot.corpora.types import Example
from fewshot.encoders.pieces import Pieces
from fewshot.encoders.vectors import Batch, collate
from fewshot.errors import FewshotError
from fewshot.evaluation.bootstrap import interval
from fewshot.training.batching import padding_id, prediction_batches
from fewshot.training.model import Model

E = TypeVar("E", bound=Example)
T = TypeVar("T")


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
        known_only: score on known labels only, see `evaluate`; None where nobody asked for it.
    """

    metric: str
    score: float
    low: float
    high: float
    metrics: Mapping[str, float]
    examples: int
    known_only: float | None = None

    def __str__(self) -> str:
        return f"{self.score:.1f} [{self.low:.1f}, {self.high:.1f}] {self.metric}"

    @property
    def columns(self) -> dict[str, Any]:
        """What a `fewshot.curves.results.Result` holds of it, by field."""
        names = ("metric", "score", "low", "high", "metrics", "known_only")
        return {name: getattr(self, name) for name in names}


def decode(
    model: Model, pieces: Sequence[Sequence[Pieces]], read: Callable[[Any, Tensor], Sequence[T]]
) -> list[list[T]]:
    """Run a model in batches of similar sizes.

    Args:
        model: in evaluation mode, on any device.
        pieces: the inputs of each example.
        read: from the scores and the mask of a batch to one thing an input.

    Returns:
        What was read, for each input of each example, in their order.
    """
    return by_batch(model, pieces, lambda batch: read(model(batch), batch.mask))


@torch.inference_mode()
def by_batch(model: Model, pieces: Sequence[Sequence[Pieces]], read: Callable[[Batch], Sequence[T]]) -> list[list[T]]:
    """Make batches of similar sizes.

    Args:
        model: that the batches are for.
        pieces: the inputs of each example.
        read: from a batch on the model's device to one thing an input.

    Returns:
        What was read, for each input of each example, in their order.
    """
    device = next(model.parameters()).device
    inputs = [one for each in pieces for one in each]
    found: dict[int, T] = {}
    for rows in prediction_batches([one.size for one in inputs]):
        batch = collate([inputs[row] for row in rows], padding_id(model)).to(device)
        found.update(zip(rows, read(batch), strict=True))
    rest = (found[row] for row in range(len(inputs)))
    return [list(islice(rest, len(each))) for each in pieces]


def predict(model: Model, examples: Sequence[E], pieces: Sequence[Sequence[Pieces]] | None = None) -> list[E]:
    """Return the examples with the model's annotation in place of their own.

    Args:
        model: in evaluation mode, on any device.
        examples: what to annotate; every word gets a prediction, however long the sentence.
        pieces: the examples encoded, if they are already.
    """
    pieces = model.encode(examples) if pieces is None else pieces
    decoded = decode(model, pieces, model.head.decode)
    return [model.task.annotate(example, predictions) for example, predictions in zip(examples, decoded, strict=True)]


def evaluate(
    model: Model,
    test: Sequence[Example],
    pieces: Sequence[Sequence[Pieces]] | None = None,
    known: tasks.Task[Any] | None = None,
) -> Evaluation:
    """Score a model on a test set. A label that the model does not have counts as an error.

    Args:
        model: in evaluation mode.
        test: annotated examples.
        pieces: the examples encoded, if they are already.
        known: the task with the labels that the model has learned; given, the score on these labels alone is returned
            too, as `Evaluation.known_only`. It does not compare with scores on all labels.

    Raises:
        FewshotError: when there is no example, or one is not annotated.
    """
    task = model.task
    if not test:
        raise FewshotError("no example to score; give at least one")
    tasks.check_gold(task, test)
    predicted = predict(model, test, pieces)
    evaluation = scored(task, test, predicted)
    if known is None:
        return evaluation
    masked = zip(map(known.masked, test), predicted, strict=True)
    counts = [task.counts(gold, guess) for gold, guess in masked if task.is_annotated(gold)]
    part = task.metrics(np.sum(counts, axis=0))[task.metric] if counts else evaluation.score
    return replace(evaluation, known_only=part)


def scored(task: tasks.Task[Any], test: Sequence[Example], predicted: Sequence[Example]) -> Evaluation:
    """Score predictions, whoever made them.

    Args:
        task: of gold and predictions.
        test: annotated examples; at least one.
        predicted: the same, with the annotation that is scored.
    """
    counts = np.stack([task.counts(gold, guess) for gold, guess in zip(test, predicted, strict=True)])
    metrics = dict(task.metrics(counts.sum(0)))
    low, high = interval(counts, lambda total: task.metrics(total)[task.metric])
    return Evaluation(task.metric, metrics[task.metric], low, high, metrics, len(test))
