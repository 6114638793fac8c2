"""A deep biaffine dependency parser (Dozat & Manning 2017) on word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fewshot.heads.base import MARGIN, Head, append_means, by_example
from fewshot.heads.classifier import IGNORE
from fewshot.heads.trees import are_trees, best_tree

ARC_SIZE = 500
"""Largest size of the vectors that arcs are scored from (Dozat & Manning 2017, table 1)."""

LABEL_SIZE = 90
"""Largest size of the vectors that labels are scored from, slightly smaller than in Dozat & Manning 2017, table 1,
since each label has the square of this size in weights."""

FEATURE_SIZE = 50
"""Size of a feature's embedding."""

MAX_DISTANCE = 16
"""Distances of this many words and more between a head and its dependent score alike."""

TAG_LOSS = 0.5
"""Weight of the auxiliary loss."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of arcs, and vectors from which labels are scored once heads are known.

    Args:
        arcs: ``[examples, words, words + 1]``, each head of each word; 0 is the root.
        dependents: ``[examples, words, size]``.
        heads: ``[examples, words + 1, size]``.
        tags: ``[examples, words, tags]``, or None.
    """

    arcs: Tensor
    dependents: Tensor
    heads: Tensor
    tags: Tensor | None


class Biaffine(Head):
    """Scores every head of every word, and the labels of chosen arcs.

    Args:
        root: the label of the root's only dependent, used for no other word.
        dropout: on the vectors and inside; the 0.33 of Dozat & Manning is too much for few epochs.
        features: number of features, whose embeddings are concatenated to the vectors; 0: none.
        tags: number of tags of an auxiliary loss; 0: none.
        distance: also score the distance of a head, from the vector of its dependent (after Qi et al. 2018).
    """

    def __init__(
        self,
        hidden: int,
        labels: int,
        root: int,
        dropout: float = 0.1,
        features: int = 0,
        tags: int = 0,
        distance: bool = False,
    ) -> None:
        super().__init__()
        arc, label = min(ARC_SIZE, hidden), min(LABEL_SIZE, max(32, hidden // 4))
        self.root_label = root
        self.dropout = nn.Dropout(dropout)
        self.features = nn.Embedding(features + 1, FEATURE_SIZE, padding_idx=0) if features else None
        self.tags = nn.Linear(hidden, tags) if tags else None
        size = hidden + (FEATURE_SIZE if features else 0)
        self.root = nn.Parameter(torch.randn(size) * 0.02)
        self.arc_dependent, self.arc_head = _mlp(size, arc, dropout), _mlp(size, arc, dropout)
        self.label_dependent, self.label_head = _mlp(size, label, dropout), _mlp(size, label, dropout)
        self.arc = nn.Linear(arc, arc)  # its bias scores heads independently of their dependents
        self.distance = nn.Linear(arc, 2 * MAX_DISTANCE + 1) if distance else None
        self.label = nn.Linear(label + 1, labels * (label + 1), bias=False)

    def grow_tensors(self, smaller: Biaffine, like: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """Return the label scorer, a square block of rows per label."""
        blocks = append_means(torch.unflatten(smaller.label.weight, 0, (-1, smaller.label.in_features)), like)
        blocks[len(blocks) - len(like) :, -1, -1] -= MARGIN  # the product of both vectors' constant 1
        return {"label.weight": blocks.flatten(0, 1)}

    def forward(self, vectors: Tensor, mask: Tensor, features: Tensor) -> Scores:
        """Score arcs; no word is its own head."""
        words = self.dropout(vectors)
        tags = self.tags(words) if self.tags else None
        if self.features:
            words = torch.cat([words, self.dropout(self.features(features))], -1)
        heads = torch.cat([self.root.expand(len(words), 1, -1), words], 1)
        dependents = self.arc_dependent(words)
        arcs = self.arc(dependents) @ self.arc_head(heads).transpose(1, 2)
        if self.distance:
            arcs = arcs + _by_distance(self.distance(dependents))
        others = mask[:, None] & ~torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
        arcs = arcs.masked_fill(~functional.pad(others, (1, 0), value=True), -torch.inf)
        return Scores(arcs, self.label_dependent(words), self.label_head(heads), tags)

    def collate(self, targets: Sequence[Sequence[Sequence[int]]], units: int) -> Tensor:
        """Return ``[examples, words, 2]``, heads and labels, or 3 with tags; ``IGNORE`` in the padding."""
        columns = 3 if self.tags else 2
        return torch.tensor([[*row, *[[IGNORE] * columns] * (units - len(row))] for row in targets])

    def count_annotated(self, targets: Tensor) -> Tensor:
        """Return the number of words with a label."""
        return (targets[..., 1] != IGNORE).sum()

    def loss(self, scores: Scores, targets: Tensor, mask: Tensor) -> Tensor:
        """Return the summed cross-entropy of heads and labels, and of tags if they are learned."""
        heads, labels = targets[..., 0], targets[..., 1]
        total = _cross_entropy(scores.arcs, heads) + _cross_entropy(self.labels(scores, heads.clamp(min=0)), labels)
        if scores.tags is not None:
            total = total + TAG_LOSS * _cross_entropy(scores.tags, targets[..., 2])
        return total

    def labels(self, scores: Scores, heads: Tensor) -> Tensor:
        """Score labels ``[examples, words, labels]`` of arcs to heads ``[examples, words]``; 0 is the root."""
        index = heads.unsqueeze(-1).expand(-1, -1, scores.heads.shape[-1])
        chosen = functional.pad(scores.heads.gather(1, index), (0, 1), value=1.0)
        forms: Tensor = self.label(functional.pad(scores.dependents, (0, 1), value=1.0))
        return (torch.unflatten(forms, -1, (-1, chosen.shape[-1])) @ chosen.unsqueeze(-1)).squeeze(-1)

    @torch.no_grad()
    def decode(self, scores: Scores, mask: Tensor) -> list[tuple[list[int], list[int]]]:
        """Return heads and labels of each sentence: the best tree with one root, the best label of each arc."""
        heads = _trees(scores.arcs, mask)
        best = self._legal_labels(scores, heads).argmax(-1)
        lengths = mask.sum(-1).tolist()
        rows = zip(heads.tolist(), best.tolist(), lengths, strict=True)
        return [(head[:length], label[:length]) for head, label, length in rows]

    @torch.no_grad()
    def probabilities(
        self, scores: Scores, mask: Tensor, predictions: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return distributions over heads ``[words, words + 1]`` and labels ``[words, labels]``.

        The distribution over heads treats each word separately, as in training, not as part of a tree.
        """
        units = mask.shape[1]
        heads = torch.tensor([[*row, *[0] * (units - len(row))] for row, _ in predictions], device=mask.device)
        arcs = by_example(scores.arcs.softmax(-1), mask)
        labels = by_example(self._legal_labels(scores, heads).softmax(-1), mask)
        return [(arc[:, : len(arc) + 1], label) for arc, label in zip(arcs, labels, strict=True)]

    def distributions(
        self, scores: Scores, mask: Tensor, predictions: Sequence[tuple[Sequence[int], Sequence[int]]]
    ) -> list[list[np.ndarray]]:
        """Return the distributions over heads ``[words, words + 1]`` and labels ``[words, labels]``."""
        return [list(pair) for pair in self.probabilities(scores, mask, predictions)]

    def _legal_labels(self, scores: Scores, heads: Tensor) -> Tensor:
        """Score the labels of arcs; head 0 has the root label, and no other head has it."""
        labels = self.labels(scores, heads)
        is_root = torch.arange(labels.shape[-1], device=labels.device) == self.root_label
        return labels.masked_fill((heads == 0).unsqueeze(-1) != is_root, -torch.inf)


def _mlp(size: int, out: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(size, out), nn.LeakyReLU(0.1), nn.Dropout(dropout))


def _by_distance(scores: Tensor) -> Tensor:
    """Spread scores of distances ``[examples, words, distances]`` over ``[examples, words, words + 1]``."""
    places = torch.arange(scores.shape[1], device=scores.device)
    steps = (places - places[:, None]).clamp(-MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE
    return functional.pad(scores.gather(2, steps.expand(len(scores), -1, -1)), (1, 0))  # the root has no distance


def _cross_entropy(scores: Tensor, targets: Tensor) -> Tensor:
    return functional.cross_entropy(scores.flatten(0, 1), targets.flatten(), ignore_index=IGNORE, reduction="sum")


def _trees(arcs: Tensor, mask: Tensor) -> Tensor:
    """Return the best heads ``[examples, words]``, searching for a tree only where they do not make one."""
    heads = arcs.argmax(-1).masked_fill(~mask, 0)
    others = torch.from_numpy(~are_trees(heads.cpu().numpy(), mask.cpu().numpy())).nonzero()[:, 0].tolist()
    for row in others:
        length = int(mask[row].sum())
        tree = best_tree(arcs[row, :length, : length + 1].cpu().numpy())
        heads[row, :length] = torch.from_numpy(tree).to(heads)
    return heads
