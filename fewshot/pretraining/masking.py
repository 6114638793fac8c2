"""Masking for masked and translation language modelling."""

from __future__ import annotations

import torch
from torch import Tensor

MASKED, REPLACED, RANDOM = 0.15, 0.8, 0.1
"""Share of pieces to predict; of these, shares replaced by the mask and by a random piece (Devlin et al. 2019)."""


def mask(ids: Tensor, maskable: Tensor, mask_id: int, first: int, vocabulary: int) -> tuple[Tensor, Tensor]:
    """Choose pieces to predict and hide them, by torch's own random numbers.

    Args:
        ids: ``[sequences, pieces]``.
        maskable: true for pieces that may be chosen: neither special nor padding.
        mask_id: id of the mask.
        first: lowest id of a random replacement; the special ones lie below.
        vocabulary: number of pieces.

    Returns:
        The ids with chosen pieces hidden, and which were chosen; both ``[sequences, pieces]``.
    """
    chosen = (torch.rand(ids.shape) < MASKED) & maskable
    draw = torch.rand(ids.shape)
    other = torch.randint(first, vocabulary, ids.shape)
    hidden = torch.where(chosen & (draw < REPLACED), mask_id, ids)
    hidden = torch.where(chosen & (draw >= REPLACED) & (draw < REPLACED + RANDOM), other, hidden)
    return hidden, chosen
