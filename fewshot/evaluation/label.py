"""A model's annotation with its confidence: suggestions for annotators, and labels of a file or pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from torch import Tensor

from fewshot.corpora.types import Example
from fewshot.evaluation.evaluate import decode
from fewshot.training.model import Model

CHUNK = 256
"""Examples that are read and labelled together."""


def suggest(model: Model, examples: Sequence[Example]) -> list[dict[str, Any]]:
    """Return a suggestion for each example, see `Task.suggestion`.

    The annotation of the examples is not used, except for the tags that a parser reads.
    """
    pairs = zip(examples, decode_with_probabilities(model, examples), strict=True)
    return [model.suggestion(example, *decoded) for example, decoded in pairs]


def decode_with_probabilities(model: Model, examples: Sequence[Example]) -> list[tuple[list[Any], list[Any]]]:
    """Return the predictions for each example's inputs, and their probabilities, by the formats of `Head`."""

    def read(scores: Any, mask: Tensor) -> list[tuple[Any, Any]]:
        predictions = model.head.decode(scores, mask)
        return list(zip(predictions, model.head.probabilities(scores, mask, predictions), strict=True))

    decoded = decode(model, model.encode(examples), read)
    return [([best for best, _ in inputs], [likely for _, likely in inputs]) for inputs in decoded]


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
