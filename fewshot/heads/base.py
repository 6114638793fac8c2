"""The interface of all heads."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

MARGIN = 0.01
"""How far the score of a new label lies below the mean of its similar labels, of which there may be only one."""


@dataclass(frozen=True, slots=True)
class TransformersHead:
    """The class of transformers that computes a head's scores for pieces.

    The score of a unit is the mean of its pieces' scores.

    Args:
        auto: such as ``AutoModelForTokenClassification``.
        pipeline: the name of the task on model hubs.
        layer: the last layer of that class.
        reading: Python code for users without this package, from the class's ``output`` and ``units``, the places of
            each unit's pieces, to the prediction.
    """

    auto: str
    pipeline: str
    layer: nn.Linear
    reading: str


class Head(nn.Module):
    """Maps unit vectors to scores, scores and targets to a loss, scores to predictions.

    The format of targets and predictions is agreed between head and task: label ids, heads and relations, a span.
    """

    weights: Tensor | None = None
    """Label weights of the loss in a balanced training, ``[labels]``; used by `Classifier` only."""

    @torch.no_grad()
    def grow(self, smaller: Head, like: Sequence[Sequence[int]]) -> None:
        """Take over the weights of a head with fewer labels.

        The score of a new label is the mean score of its similar labels minus `MARGIN`: before training it is never the
        best, and predictions do not change.

        Args:
            smaller: of the same kind; its labels are the first ones of this head.
            like: for each new label, the places of similar labels in the smaller head; at least one.
        """
        self.load_state_dict({**smaller.state_dict(), **self.grow_tensors(smaller, like)})

    def grow_tensors(self, smaller: Any, like: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """Return the tensors of `grow` that depend on the labels, by name; empty for a head without labels."""
        return {}

    @abstractmethod
    def forward(self, vectors: Tensor, mask: Tensor, features: Tensor) -> Any:
        """Score units.

        Args:
            vectors: ``[examples, units, hidden]``.
            mask: ``[examples, units]``, true where there is a unit.
            features: ``[examples, units]``, see `fewshot.encoders.pieces.Input`, 0 for none.
        """

    @abstractmethod
    def collate(self, targets: Sequence[Any], units: int) -> Tensor:
        """Pad the targets of several examples to one tensor, ``[examples, units]`` or larger."""

    @abstractmethod
    def count_annotated(self, targets: Tensor) -> Tensor:
        """Return the number of annotated units in targets, a scalar."""

    @abstractmethod
    def loss(self, scores: Any, targets: Tensor, mask: Tensor) -> Tensor:
        """Return the loss summed over the annotated units, a scalar."""

    @abstractmethod
    def decode(self, scores: Any, mask: Tensor) -> list[Any]:
        """Return one prediction per example."""

    @abstractmethod
    def probabilities(self, scores: Any, mask: Tensor, predictions: Sequence[Any]) -> list[Any]:
        """Return the probabilities behind the predictions of `decode`, one entry per example."""

    def distributions(self, scores: Any, mask: Tensor, predictions: Sequence[Any]) -> list[list[np.ndarray]]:
        """Return the distributions behind predictions: one ``[decisions, outcomes]`` per example and kind.

        Labels come last; the labels of arcs are those of the predicted arcs.
        """
        return [[example] for example in self.probabilities(scores, mask, predictions)]

    def as_transformers(self) -> TransformersHead | None:
        """Return how transformers computes the same scores; None if none of its classes does."""
        return None


def append_means(rows: Tensor, like: Sequence[Sequence[int]], margin: float = 0.0) -> Tensor:
    """Append a row for each new label to ``[labels, ...]``: the mean of some rows, minus a margin."""
    return torch.cat([rows, *(rows[list(places)].mean(0, keepdim=True) - margin for places in like)])


def by_example(values: Tensor, mask: Tensor) -> list[np.ndarray]:
    """Cut ``[examples, units, ...]`` into one array ``[units, ...]`` per example, without the padding."""
    rows = values.float().cpu().numpy()
    return [row[:length] for row, length in zip(rows, mask.sum(-1).tolist(), strict=True)]
