"""Masking for masked and translation language modelling."""

from __future__ import annotations

import torch
from torch import Tensor

MASKED, REPLACED, RANDOM = 0.15, 0.8, 0.1
"""Share of pieces to predict; of these, shares replaced by the mask and by a random piece (Devlin et al. 2019)."""


def mask(ids: Tensor, maskable: Tensor, weights: Tensor, mask_id: int, first: int) -> tuple[Tensor, Tensor]:
    """Choose pieces to predict and hide them, by torch's own random numbers.

    Args:
        ids: ``[sequences, pieces]``.
        maskable: true for pieces that may be chosen: neither special nor padding.
        weights: ``[vocabulary]``, how often each piece is chosen, relative to the others; see `rarity`.
        mask_id: id of the mask.
        first: lowest id of a random replacement; the special ones lie below.

    Returns:
        The ids with chosen pieces hidden, and which were chosen; both ``[sequences, pieces]``.
    """
    weight = weights[ids] * maskable
    chosen = torch.rand(ids.shape) < MASKED * weight * maskable.sum() / weight.sum().clamp(min=1e-9)
    draw = torch.rand(ids.shape)
    other = torch.randint(first, len(weights), ids.shape)
    hidden = torch.where(chosen & (draw < REPLACED), mask_id, ids)
    hidden = torch.where(chosen & (draw >= REPLACED) & (draw < REPLACED + RANDOM), other, hidden)
    return hidden, chosen


def rarity(counts: Tensor, exponent: float) -> Tensor:
    """Return the weights of pieces by their counts: ``count^-exponent`` (Conneau & Lample 2019 take 0.5; 0 for none).

    Args:
        counts: ``[vocabulary]``.
        exponent: 0 or more.
    """
    return counts.clamp(min=1).float() ** -exponent
