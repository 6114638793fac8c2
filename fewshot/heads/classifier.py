"""A softmax over labels for every unit (Devlin et al. 2019; also a head of Lauscher et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fewshot.heads.base import MARGIN, Head, TransformersHead, append_means, by_example

IGNORE = -100
"""Target of a unit without annotation, which adds nothing to the loss."""


LEAST_SHARE = 0.5
"""Least probability of a further label that is predicted, as a share of that of the best label."""


READING = """\
scores = torch.stack([output.logits[0, unit].mean(0) for unit in units])
labels = [model.config.id2label[best] for best in scores.argmax(-1).tolist()]
print(labels)"""
"""See `TransformersHead.reading`."""


class Classifier(Head):
    """Dropout and one linear layer."""

    def __init__(self, hidden: int, labels: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, labels)

    def grow_tensors(self, smaller: Classifier, like: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """Return weight and bias, a row per label."""
        weight, bias = smaller.output.weight, smaller.output.bias
        return {"output.weight": append_means(weight, like), "output.bias": append_means(bias, like, MARGIN)}

    def forward(self, vectors: Tensor, mask: Tensor, features: Tensor) -> Tensor:
        """Return ``[examples, units, labels]``."""
        scores: Tensor = self.output(self.dropout(vectors))
        return scores

    def collate(self, targets: Sequence[Sequence[int]], units: int) -> Tensor:
        """Return label ids ``[examples, units]``, ``IGNORE`` in the padding."""
        return torch.tensor([[*row, *[IGNORE] * (units - len(row))] for row in targets])

    def count_annotated(self, targets: Tensor) -> Tensor:
        """Return the number of units with a label."""
        return (targets != IGNORE).sum()

    def loss(self, scores: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
        """Return the summed cross-entropy, weighted by the label weights if there are any."""
        flat = scores.flatten(0, 1), targets.flatten()
        return functional.cross_entropy(*flat, self.weights, ignore_index=IGNORE, reduction="sum")

    def decode(self, scores: Tensor, mask: Tensor) -> list[list[int]]:
        """Return the best label of each unit."""
        best = scores.argmax(-1).tolist()
        return [row[:length] for row, length in zip(best, mask.sum(-1).tolist(), strict=True)]

    def probabilities(self, scores: Tensor, mask: Tensor, predictions: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Return the distribution over labels of each unit, ``[units, labels]`` per example."""
        return by_example(scores.softmax(-1), mask)

    def as_transformers(self) -> TransformersHead | None:
        """Return this head as a token classifier of transformers.

        The mean of the linear scores of pieces is the score of their mean vector.
        """
        return TransformersHead("AutoModelForTokenClassification", "token-classification", self.output, READING)


class SeveralClassifier(Classifier):
    """A classifier of one unit that may have several labels: they share its probability evenly."""

    def collate(self, targets: Sequence[Sequence[int]], units: int) -> Tensor:
        """Return the share of each label ``[examples, 1, labels]``."""
        shares = torch.zeros(len(targets), 1, self.output.out_features)
        for row, labels in zip(shares, targets, strict=True):
            row[0, list(labels)] = 1 / len(labels)
        return shares

    def count_annotated(self, targets: Tensor) -> Tensor:
        """Return the number of units."""
        return targets.sum()

    def loss(self, scores: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
        """Return the summed cross-entropy with the shares."""
        return functional.cross_entropy(scores.flatten(0, 1), targets.flatten(0, 1), self.weights, reduction="sum")

    def decode(self, scores: Tensor, mask: Tensor) -> list[list[int]]:
        """Return the best label and those nearly as likely, see `LEAST_SHARE`, of each example."""
        shares = scores[:, 0].softmax(-1)
        chosen = shares >= LEAST_SHARE * shares.amax(-1, keepdim=True)
        return [row.nonzero().flatten().tolist() for row in chosen]

    def as_transformers(self) -> TransformersHead | None:
        """Return None: no class of transformers predicts several labels of a text by their shares."""
        return None
