"""Label a stream of examples with a model: a file of any length, or the rest of a pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from fewshot.evaluation.suggest import decode_with_probabilities
from fewshot.training.model import Model

CHUNK = 256
"""Examples that are read and labelled together."""


def label_stream(model: Model, examples: Iterable[Any]) -> Iterator[tuple[Any, list[float]]]:
    """Yield each example with the labels of a model; a chunk of them is held at a time.

    Args:
        model: in evaluation mode, on any device.
        examples: to label; annotation of other tasks stays.

    Yields:
        The example, which says what is predicted, and how sure the model is, from 0 to 1, of each word, label or
        question.
    """
    rest = iter(examples)
    while chunk := list(islice(rest, CHUNK)):
        for example, decoded in zip(chunk, decode_with_probabilities(model, chunk), strict=True):
            predictions, _ = decoded
            labelled = model.task.annotate(example, predictions)
            filled = tuple(dict.fromkeys((*example.predicted, *model.task.columns)))
            yield replace(labelled, predicted=filled), model.task.suggestion(example, *decoded)["confidence"]
