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
    """Yield each example with a model's labels and confidences (0 to 1) per word, label or question.

    The labelled columns are listed in ``predicted``; annotation of other tasks is kept. Examples are read in chunks.
    """
    stream = iter(examples)
    while chunk := list(islice(stream, CHUNK)):
        for example, decoded in zip(chunk, decode_with_probabilities(model, chunk), strict=True):
            predictions, _ = decoded
            labelled = model.annotate(example, predictions)
            filled = tuple(dict.fromkeys((*example.predicted, *model.task.columns)))
            yield replace(labelled, predicted=filled), model.suggestion(example, *decoded)["confidence"]
