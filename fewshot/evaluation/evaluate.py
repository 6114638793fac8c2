"""Predict a test set and score it, with bootstrap intervals (Efron & Tibshirani 1993)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

from fewshot import tasks
from fewshot.corpora.types import Example
from fewshot.encoders.pieces import Pieces
from fewshot.encoders.vectors import Batch, collate
from fewshot.errors import FewshotError
from fewshot.training.batching import padding_id, prediction_batches
from fewshot.training.model import Model
from fewshot.training.recipe import Recipe, by_size

E = TypeVar("E", bound=Example)
T = TypeVar("T")

RESAMPLES = 1000
"""Number of bootstrap resamples of a test set."""

Z = 1.96
"""Standard normal quantile of a two-sided 95% interval."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The score of a model on a test set.

    Args:
        metric: name of the score.
        score: in percent.
        low: lower end of the 95% bootstrap interval over test examples.
        high: upper end.
        metrics: all metrics, in percent.
        known_only: score on known labels only, see `evaluate`.
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
        """The fields of a `fewshot.curves.results.Result` that an evaluation fills."""
        names = ("metric", "score", "low", "high", "metrics", "known_only")
        return {name: getattr(self, name) for name in names}


def decode(
    model: Model, pieces: Sequence[Sequence[Pieces]], read: Callable[[Any, Tensor], Sequence[T]]
) -> list[list[T]]:
    """Run a model in batches of similar sizes and return the values of each example's inputs, in order.

    Args:
        model: in evaluation mode, on any device.
        pieces: the encoded inputs of each example.
        read: returns one value per input from the scores and the mask of a batch.
    """
    return by_batch(model, pieces, lambda batch: read(model(batch), batch.mask))


@torch.inference_mode()
def by_batch(model: Model, pieces: Sequence[Sequence[Pieces]], read: Callable[[Batch], Sequence[T]]) -> list[list[T]]:
    """Apply a function to batches of similar sizes; returns one value per input, see `decode`."""
    device = next(model.parameters()).device
    inputs = list(chain.from_iterable(pieces))
    values: dict[int, T] = {}
    for rows in prediction_batches([encoded.size for encoded in inputs]):
        batch = collate([inputs[row] for row in rows], padding_id(model)).to(device)
        values.update(zip(rows, read(batch), strict=True))
    ordered = (values[row] for row in range(len(inputs)))
    return [list(islice(ordered, len(encoded))) for encoded in pieces]


def predict(model: Model, examples: Sequence[E], pieces: Sequence[Sequence[Pieces]] | None = None) -> list[E]:
    """Return the examples with the model's annotation instead of their own; ``pieces`` as in `evaluate`."""
    examples = tasks.as_examples(model.task, examples)
    pieces = model.encode(examples) if pieces is None else pieces
    decoded = decode(model, pieces, model.head.decode)
    return [model.annotate(example, predictions) for example, predictions in zip(examples, decoded, strict=True)]


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
        pieces: the encoded examples, if known.
        known: the task with the labels that the model has learned; adds the score on these labels alone as
            `Evaluation.known_only`, which is not comparable with scores on all labels.

    Raises:
        FewshotError: when there is no example, or one is not annotated.
    """
    task = model.task
    test = tasks.as_examples(task, test)
    if not test:
        raise FewshotError("no example to score; give at least one")
    tasks.check_gold(task, test)
    predicted = predict(model, test, pieces)
    evaluation = score_predictions(task, test, predicted)
    if known is None:
        return evaluation
    masked = zip(map(known.masked, test), predicted, strict=True)
    counts = [task.counts(gold, guess) for gold, guess in masked if task.is_annotated(gold)]
    known_only = task.metrics(np.sum(counts, axis=0))[task.metric] if counts else evaluation.score
    return replace(evaluation, known_only=known_only)


def source_share(source: Model, shots: Sequence[Example], recipe: Recipe) -> float:
    """Return the share that the source model keeps in the weights of a model adapted to some shots.

    It is ``recipe.kept`` times the cube of the source model's score on the shots: what is nearly right already is
    hardly changed by a few sentences, and what is mostly wrong is learned.
    """
    most = by_size(len(shots), recipe.kept)
    return float(most * (evaluate(source, shots).score / 100) ** 3) if most and shots else 0.0


def score_predictions(task: tasks.Task[Any], test: Sequence[Example], predicted: Sequence[Example]) -> Evaluation:
    """Score predictions of any origin for at least one annotated test example."""
    counts = np.stack([task.counts(gold, guess) for gold, guess in zip(test, predicted, strict=True)])
    metrics = dict(task.metrics(counts.sum(0)))
    low, high = interval(counts, lambda total: task.metrics(total)[task.metric])
    return Evaluation(task.metric, metrics[task.metric], low, high, metrics, len(test))


def wilson(score: float, n: int) -> tuple[float, float]:
    """Return the 95% score interval of a share, in percent (Wilson 1927).

    Brown, Cai & DasGupta 2001 recommend it for small n. For 5 out of 5 it is 56.6 to 100.

    Args:
        score: the share, in percent.
        n: number of trials; at least one.
    """
    p = score / 100
    centre, half = p + Z**2 / (2 * n), Z * (p * (1 - p) / n + Z**2 / (4 * n**2)) ** 0.5
    low, high = ((centre + side * half) / (1 + Z**2 / n) for side in (-1, 1))
    return 100 * max(low, 0.0), 100 * min(high, 1.0)


def interval(counts: np.ndarray, score: Callable[[np.ndarray], float], seed: int = 0) -> tuple[float, float]:
    """Return the 95% percentile interval of a score that is a function of summed counts.

    The examples are resampled. If all resamples have the same score (a perfect model, a single test example), the
    bootstrap interval would be too narrow: then the interval is that of `wilson`, with each example as one trial.

    Args:
        counts: ``[examples, counts]``.
        score: maps summed counts ``[counts]`` to a score, in percent.
    """
    rng = np.random.default_rng(seed)
    n = len(counts)
    draws = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    scores = [score(total) for total in draws @ counts]
    low, high = np.percentile(scores, [2.5, 97.5])
    return (float(low), float(high)) if high - low > 1e-9 else wilson(score(counts.sum(0)), n)
