"""A linear-chain conditional random field (Lafferty et al. 2001; NER head of Lauscher et al. 2020).

The score of a labelling is a sum of unit scores, from the vectors, and of scores of neighbouring labels:
``start[y1] + sum_t unit[t, yt] + sum_t follows[y(t-1), yt] + end[yn]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import torch
from torch import Tensor, nn

from fewshot.heads.base import Head, append_means, by_example
from fewshot.heads.classifier import IGNORE, Classifier

SCALE = 10.0
"""Factor of the tables of start, neighbours and end, which thereby learn at ten times the rate of the head.

Adam moves a weight by about its rate, whatever the gradient: at 1e-3, falling, no score would exceed 0.5 in a
thousand updates. On English development data the factor is worth ten points of F1 (mini, one seed)."""


class CRF(Head):
    """Dropout and one linear layer for the units, a table for their neighbours.

    Args:
        first: ``[labels]``, whether a label may begin a prediction; by default any may.
        pairs: ``[labels, labels]``, whether the second label may follow the first in a prediction; by default any may.
            Training has no such limits.
    """

    first: Tensor
    pairs: Tensor

    def __init__(
        self,
        hidden: int,
        labels: int,
        dropout: float = 0.1,
        first: Sequence[bool] | None = None,
        pairs: Sequence[Sequence[bool]] | None = None,
    ) -> None:
        super().__init__()
        self.units = Classifier(hidden, labels, dropout)
        self.start = nn.Parameter(torch.zeros(labels))
        self.follows = nn.Parameter(torch.zeros(labels, labels))
        self.end = nn.Parameter(torch.zeros(labels))
        self.register_buffer("first", _limits(first or [True] * labels), persistent=False)
        self.register_buffer("pairs", _limits(pairs or [[True] * labels] * labels), persistent=False)

    def grow_tensors(self, smaller: CRF, like: Sequence[Sequence[int]]) -> dict[str, Tensor]:
        """Return the scores of units, start, end and neighbours.

        A pair with a new label gets the mean score of similar pairs that have the same limit, if there are any: I-DATE
        follows B-DATE as I-PER follows B-PER, not as it follows B-LOC.
        """
        known = len(smaller.start)
        alike = [[place] for place in range(known)] + [list(places) for places in like]
        follows = torch.empty(len(alike), len(alike))
        for pair in product(range(len(alike)), repeat=2):
            cells = torch.cartesian_prod(*(torch.tensor(alike[label]) for label in pair)).unbind(1)
            same = smaller.pairs[cells] == self.pairs[pair]
            scores = smaller.follows[cells]
            follows[pair] = (scores[same] if same.any() else scores).mean()
        units = {f"units.{name}": table for name, table in self.units.grow_tensors(smaller.units, like).items()}
        ends = {"start": append_means(smaller.start, like), "end": append_means(smaller.end, like)}
        return units | ends | {"follows": follows}

    def forward(self, vectors: Tensor, mask: Tensor, features: Tensor) -> Tensor:
        """Return the score of each label of each unit, without neighbours, ``[examples, units, labels]``."""
        scores: Tensor = self.units(vectors, mask, features)
        return scores

    def collate(self, targets: Sequence[Sequence[int]], units: int) -> Tensor:
        """Return label ids ``[examples, units]``, ``IGNORE`` in the padding."""
        return self.units.collate(targets, units)

    def count_annotated(self, targets: Tensor) -> Tensor:
        """Return the number of units with a label."""
        return self.units.count_annotated(targets)

    def loss(self, scores: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
        """Return the summed negative log-likelihood.

        A unit whose target is ``IGNORE`` may have any label: the training maximizes the probability of all labellings
        that agree with the annotation (Tsuboi et al. 2008). So a sentence without any annotation adds nothing.
        """
        annotated = targets != IGNORE
        agrees = torch.arange(scores.shape[-1], device=scores.device) == targets.unsqueeze(-1)
        agreeing = scores.masked_fill(annotated.unsqueeze(-1) & ~agrees, -torch.inf)
        every, some = self._log_sum(torch.cat([scores, agreeing]), mask.repeat(2, 1)).chunk(2)
        return (every - some).sum()

    def tables(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return the scores of start ``[labels]``, neighbours ``[labels, labels]`` and end ``[labels]``."""
        return SCALE * self.start, SCALE * self.follows, SCALE * self.end

    def _log_sum(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Sum over all labellings ``[examples]`` in log space, by the forward algorithm.

        A score of minus infinity excludes a label, but never all labels of a unit.
        """
        start, follows, end = self.tables()
        total = start + scores[:, 0]  # [examples, labels]: of all labellings that end in a label
        for place in range(1, scores.shape[1]):
            longer = (total.unsqueeze(2) + follows).logsumexp(1) + scores[:, place]
            total = torch.where(mask[:, place, None], longer, total)
        return (total + end).logsumexp(1)

    @torch.no_grad()
    def decode(self, scores: Tensor, mask: Tensor) -> list[list[int]]:
        """Return the best labelling of each example that `first` and `pairs` allow (Viterbi)."""
        start, follows, end = self.tables()
        follows, stay = follows + self.pairs, torch.arange(scores.shape[-1], device=scores.device)
        best = start + self.first + scores[:, 0]  # [examples, labels]: of all labellings that end in a label
        before = []  # [examples, labels]: the label that comes before in it
        for place in range(1, scores.shape[1]):
            longer, via = (best.unsqueeze(2) + follows).max(1)
            inside = mask[:, place, None]
            best = torch.where(inside, longer + scores[:, place], best)
            before.append(torch.where(inside, via, stay))
        labels = [(best + end).argmax(1, keepdim=True)]
        for via in reversed(before):
            labels.append(via.gather(1, labels[-1]))
        rows = torch.cat(labels[::-1], 1).tolist()
        return [row[:length] for row, length in zip(rows, mask.sum(-1).tolist(), strict=True)]

    @torch.no_grad()
    def probabilities(self, scores: Tensor, mask: Tensor, predictions: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Return the posterior of each label of each unit, ``[units, labels]`` per example (forward-backward).

        The posterior sums over all labellings that `first` and `pairs` allow. The best labelling as a whole need not
        have the most probable label of each unit.
        """
        start, follows, end = self.tables()
        follows = follows + self.pairs
        before = [start + self.first + scores[:, 0]]  # [examples, labels]: of all labellings that end in a label
        for place in range(1, scores.shape[1]):
            before.append((before[-1].unsqueeze(2) + follows).logsumexp(1) + scores[:, place])
        after = [end.expand_as(before[0])]  # [examples, labels]: of all ways to go on from a label
        for place in range(scores.shape[1] - 1, 0, -1):
            longer = (follows + (scores[:, place] + after[-1]).unsqueeze(1)).logsumexp(2)
            after.append(torch.where(mask[:, place, None], longer, after[-1]))
        through = torch.stack(before, 1) + torch.stack(after[::-1], 1)
        return by_example(through.softmax(-1), mask)


def _limits(allowed: Sequence[bool] | Sequence[Sequence[bool]]) -> Tensor:
    """Return a tensor to add to scores: 0 where something is allowed, else minus infinity."""
    return torch.zeros(torch.tensor(allowed).shape).masked_fill(~torch.tensor(allowed), -torch.inf)
