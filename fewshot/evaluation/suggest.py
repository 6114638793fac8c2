"""Suggestions for annotators: a model's annotation, and its confidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from fewshot.corpora.types import Example
from fewshot.evaluation.evaluate import decode
from fewshot.training.model import Model


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
