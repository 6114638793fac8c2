"""Weights of labels, so that few marked words are not drowned by many that are not.

Ten sentences of running text have hardly a name: what they teach is mostly ``O``, and a model that learns it finds
names no more. Weighing examples by class is the common remedy (He & Garcia 2009, section 3.2, cost-sensitive learning).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from fewshot.heads.classifier import IGNORE


def label_weights(targets: Sequence[Sequence[int]], labels: int, background: int) -> Tensor:
    """Return weights with which one label counts at most as much in the loss as all others together.

    Args:
        targets: label ids of the units of each input, ``IGNORE`` for units that nobody has annotated.
        labels: how many there are.
        background: the one.

    Returns:
        ``[labels]``, 1 on average over the targets, so that the loss is as large as without them. Where nothing but the
        one label occurs, it weighs nothing: such examples teach nothing, weight decay apart.
    """
    known = np.array([label for row in targets for label in row if label != IGNORE], dtype=int)
    counts = np.bincount(known, minlength=labels)
    others = counts.sum() - counts[background]
    weights = np.ones(labels)
    weights[background] = min(1.0, others / max(counts[background], 1))
    mean = weights @ counts / max(counts.sum(), 1)
    return torch.tensor(weights / mean if mean else weights, dtype=torch.float32)
