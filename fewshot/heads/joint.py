"""Several labels per unit, each from its own softmax (UDify, Kondratyuk & Straka 2019)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fewshot.heads.base import MARGIN, Head, append_means, by_example
from fewshot.heads.classifier import IGNORE


class Joint(Head):
    """One linear layer over the labels of all columns; the losses of the columns are summed.

    Args:
        columns: the labels of each column; every label belongs to one column.
    """

    def __init__(self, hidden: int, columns: Sequence[Sequence[int]], dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, sum(map(len, columns)))
        self.columns = [list(column) for column in columns]
        places = torch.empty(self.output.out_features, dtype=torch.long)
        for column in self.columns:
            places[column] = torch.arange(len(column))
        self.places: Tensor
        self.register_buffer("places", places, persistent=False)  # index of each label in its column

    def grow_tensors(self, smaller: Joint, like: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """Return weight and bias, a row per label."""
        weight, bias = smaller.output.weight, smaller.output.bias
        return {"output.weight": append_means(weight, like), "output.bias": append_means(bias, like, MARGIN)}

    def forward(self, vectors: Tensor, mask: Tensor, features: Tensor) -> Tensor:
        """Return ``[examples, units, labels]``."""
        scores: Tensor = self.output(self.dropout(vectors))
        return scores

    def collate(self, targets: Sequence[Sequence[Sequence[int]]], units: int) -> Tensor:
        """Return labels ``[examples, units, columns]``, ``IGNORE`` in the padding."""
        padding = [IGNORE] * len(self.columns)
        return torch.tensor([[*row, *[padding] * (units - len(row))] for row in targets])

    def count_annotated(self, targets: Tensor) -> Tensor:
        """Return the number of units with a label in any column."""
        return (targets != IGNORE).any(-1).sum()

    def loss(self, scores: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
        """Return the summed cross-entropy of all columns."""
        total = scores.new_zeros(())
        for number, labels in enumerate(self.columns):
            wanted = targets[..., number].flatten()
            known = torch.where(wanted == IGNORE, IGNORE, self.places[wanted.clamp(min=0)])
            own = scores[..., labels].flatten(0, 1)
            total = total + functional.cross_entropy(own, known, ignore_index=IGNORE, reduction="sum")
        return total

    def decode(self, scores: Tensor, mask: Tensor) -> list[list[list[int]]]:
        """Return the best label of each column, for each unit."""
        best = [torch.tensor(labels, device=scores.device)[scores[..., labels].argmax(-1)] for labels in self.columns]
        rows = torch.stack(best, -1).tolist()
        return [row[:length] for row, length in zip(rows, mask.sum(-1).tolist(), strict=True)]

    def probabilities(self, scores: Tensor, mask: Tensor, predictions: Sequence[object]) -> list[np.ndarray]:
        """Return the distributions of each unit side by side, ``[units, labels]``; each column sums to 1."""
        shares = torch.zeros_like(scores)
        for labels in self.columns:
            shares[..., labels] = scores[..., labels].softmax(-1)
        return by_example(shares, mask)

    def distributions(self, scores: Tensor, mask: Tensor, predictions: Sequence[object]) -> list[list[np.ndarray]]:
        """Return the distribution of each column, in reverse order."""
        shares = self.probabilities(scores, mask, predictions)
        return [[units[:, labels] for labels in reversed(self.columns)] for units in shares]
