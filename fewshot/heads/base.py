"""What every head can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

MARGIN = 0.01
"""What a new label scores below the mean of those that it is like, where it may be like one alone."""


@dataclass(frozen=True, slots=True)
class Plain:
    """The class of transformers that gives a head's scores of each piece; their mean over a unit's are the unit's.

    Args:
        auto: such as ``AutoModelForTokenClassification``.
        pipeline: what model hubs call the task of that class.
        layer: the last layer of that class.
        reading: Python for people without this package, from the class's ``output`` and ``units``, the places of each
            unit's pieces, to what is predicted.
    """

    auto: str
    pipeline: str
    layer: nn.Linear
    reading: str


class Head(nn.Module):
    """Maps unit vectors to scores, scores and targets to a loss, scores to predictions.

    A target or prediction is whatever head and task agree on: label ids, heads and relations, a span.
    """

    weights: Tensor | None = None
    """How much each label weighs in the loss of a training that balances them, ``[labels]``; a classifier's alone."""

    @torch.no_grad()
    def grow(self, smaller: Head, like: Sequence[Sequence[int]]) -> None:
        """Take over the weights of a head that has fewer labels.

        A new label scores what those that it is like score on average, and `MARGIN` less: before training it is never
        the best, and what is predicted stays the same.

        Args:
            smaller: of the same kind, whose labels are the first of this one's.
            like: for each new label, the places of labels of the smaller head; at least one.
        """
        self.load_state_dict({**smaller.state_dict(), **self.grown(smaller, like)})

    def grown(self, smaller: Any, like: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """Return the tensors of `grow` that depend on the labels, by name; a head without labels has none."""
        return {}

    @abstractmethod
    def forward(self, vectors: Tensor, mask: Tensor, features: Tensor) -> Any:
        """Score units.

        Args:
            vectors: ``[examples, units, hidden]``.
            mask: ``[examples, units]``, true where there is a unit.
            features: ``[examples, units]``, what the task tells of a unit beside its vector, 0 for nothing.
        """

    @abstractmethod
    def collate(self, targets: Sequence[Any], units: int) -> Tensor:
        """Pad the targets of several examples to one tensor, ``[examples, units]`` or larger."""

    @abstractmethod
    def annotated(self, targets: Tensor) -> Tensor:
        """Return how many units of targets are annotated, a scalar."""

    @abstractmethod
    def loss(self, scores: Any, targets: Tensor, mask: Tensor) -> Tensor:
        """Return the loss summed over the annotated units, a scalar."""

    @abstractmethod
    def decode(self, scores: Any, mask: Tensor) -> list[Any]:
        """Return one prediction an example."""

    @abstractmethod
    def probabilities(self, scores: Any, mask: Tensor, predictions: Sequence[Any]) -> list[Any]:
        """Return the probabilities that predictions were chosen by, one entry an example.

        Args:
            scores: what `forward` returned.
            mask: ``[examples, units]``.
            predictions: what `decode` returned.
        """

    def distributions(self, scores: Any, mask: Tensor, predictions: Sequence[Any]) -> list[list[np.ndarray]]:
        """Return the distributions of the decisions that a prediction is made of, ``[decisions, outcomes]`` of a kind.

        Args:
            scores: what `forward` returned.
            mask: ``[examples, units]``.
            predictions: what `decode` returned; labels of arcs are those of the arcs in it.

        Returns:
            For each example one array a kind of decision; where there are labels, those come last.
        """
        return [[one] for one in self.probabilities(scores, mask, predictions)]

    def plain(self) -> Plain | None:
        """Return the class of transformers that gives the same scores, if there is one."""
        return None


def with_means(rows: Tensor, like: Sequence[Sequence[int]], margin: float = 0.0) -> Tensor:
    """Return rows ``[labels, ...]`` with those of new labels below them, each a mean of some, less a margin."""
    return torch.cat([rows, *(rows[list(places)].mean(0, keepdim=True) - margin for places in like)])


def by_example(values: Tensor, mask: Tensor) -> list[np.ndarray]:
    """Cut ``[examples, units, ...]`` into one array ``[units, ...]`` an example, without the padding."""
    rows = values.float().cpu().numpy()
    return [row[:length] for row, length in zip(rows, mask.sum(-1).tolist(), strict=True)]
