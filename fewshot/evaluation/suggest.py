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

    def read(scores: Any, mask: Tensor) -> list[tuple[Any, Any]]:
        predictions = model.head.decode(scores, mask)
        return list(zip(predictions, model.head.probabilities(scores, mask, predictions), strict=True))

    suggestions = []
    for example, pairs in zip(examples, decode(model, model.encode(examples), read), strict=True):
        predictions, probabilities = [one for one, _ in pairs], [other for _, other in pairs]
        suggestions.append(model.task.suggestion(example, predictions, probabilities))
    return suggestions
