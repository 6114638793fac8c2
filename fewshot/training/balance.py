"""Label weights, so that few marked words are not drowned by many background words.

Ten sentences of running text contain few names: most targets are ``O``, and a model trained on them finds no names any
more. Weighing examples by class is the common remedy (He & Garcia 2009, section 3.2, cost-sensitive learning).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from fewshot.heads.classifier import IGNORE


def label_weights(targets: Sequence[Sequence[int]], labels: int, background: int) -> Tensor:
    """Return weights that limit the background label in the loss to the share of all others together.

    Args:
        targets: label ids of the units of each input, ``IGNORE`` for units without annotation.

    Returns:
        ``[labels]``, 1 on average over the targets, so that the size of the loss does not change. If all targets have
        the background label, its weight is 0: such examples change the model by weight decay alone.
    """
    known = np.array([label for row in targets for label in row if label != IGNORE], dtype=int)
    counts = np.bincount(known, minlength=labels)
    others = counts.sum() - counts[background]
    weights = np.ones(labels)
    weights[background] = min(1.0, others / max(counts[background], 1))
    mean = weights @ counts / max(counts.sum(), 1)
    return torch.tensor(weights / mean if mean else weights, dtype=torch.float32)
