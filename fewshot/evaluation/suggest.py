"""Suggestions for annotators: what a model would annotate, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from fewshot.corpora.types import Example
from fewshot.evaluation.evaluate import decode
from fewshot.training.model import Model


def suggest(model: Model, examples: Sequence[Example]) -> list[dict[str, Any]]:
    """Return a suggestion for each example, see `Task.suggestion`.

    Args:
        model: in evaluation mode, on any device.
        examples: what to annotate; the annotation that they have is not looked at, but for tags that a parser reads.
    """
    pairs = zip(examples, decode_with_probabilities(model, examples), strict=True)
    return [model.task.suggestion(example, *decoded) for example, decoded in pairs]


def decode_with_probabilities(model: Model, examples: Sequence[Example]) -> list[tuple[list[Any], list[Any]]]:
    """Return for each example what the head decodes for each of its inputs, and how likely the head finds it.

    Args:
        model: in evaluation mode, on any device.
        examples: that the model reads.

    Returns:
        What `Head.decode` and `Head.probabilities` return for each input of the example.
    """

    def read(scores: Any, mask: Tensor) -> list[tuple[Any, Any]]:
        predictions = model.head.decode(scores, mask)
        return list(zip(predictions, model.head.probabilities(scores, mask, predictions), strict=True))

    decoded = decode(model, model.encode(examples), read)
    return [([best for best, _ in inputs], [likely for _, likely in inputs]) for inputs in decoded]
