"""Masking for masked and translation language modelling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from fewshot.pretraining.batches import PieceBatch

MASKED, REPLACED, RANDOM = 0.15, 0.8, 0.1
"""Share of pieces to predict; shares of these replaced by the mask and by a random piece (Devlin et al. 2019)."""


class MaskedBatch(NamedTuple):
    """A batch with hidden pieces, on the device.

    Args:
        ids: with the hidden pieces replaced, ``[batch, pieces]``.
        attention: true for a piece, ``[batch, 1, 1, pieces]``; None where there is no padding.
        types: segment numbers, ``[batch, pieces]``.
        places: indices of the hidden pieces in the flattened ``ids``, ``[hidden pieces]``.
        gold: ids of the hidden pieces, ``[hidden pieces]``.
        follows: see `fewshot.pretraining.texts.SentencePair`, ``[batch]``.
        pieces: number of pieces, without padding.
    """

    ids: Tensor
    attention: Tensor | None
    types: Tensor
    places: Tensor
    gold: Tensor
    follows: Tensor
    pieces: int


def masked(
    batches: Iterable[PieceBatch], seed: int, weights: Tensor, tokenizer: PreTrainedTokenizerFast, device: torch.device
) -> Iterator[MaskedBatch]:
    """Yield batches with hidden pieces, see `mask_batch`; batch i has the random seed ``seed + i``."""
    for number, batch in enumerate(batches, start=seed):
        torch.manual_seed(number)
        yield mask_batch(batch, weights, tokenizer, device)


def mask_batch(
    batch: PieceBatch, weights: Tensor, tokenizer: PreTrainedTokenizerFast, device: torch.device
) -> MaskedBatch:
    """Hide pieces of a batch, with the same masks on every device, and send it to the device.

    Args:
        weights: ``[vocabulary]``, see `mask`; a piece of weight 0 is neither hidden nor used as a random replacement.
    """
    plain = weights > 0
    plain[tokenizer.all_special_ids] = False
    ids, chosen = mask(batch.ids, batch.maskable, weights, tokenizer.mask_token_id, plain.nonzero().squeeze(1))
    places = chosen.flatten().nonzero().squeeze(1)
    attention = None if batch.attention.all() else batch.attention.bool()[:, None, None]

    def sent(tensor: Tensor) -> Tensor:
        return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)

    return MaskedBatch(
        sent(ids),
        None if attention is None else sent(attention),
        sent(batch.types),
        sent(places),
        sent(batch.ids.flatten()[places]),
        sent(batch.follows),
        int(batch.attention.sum()),
    )


def mask(ids: Tensor, maskable: Tensor, weights: Tensor, mask_id: int, others: Tensor) -> tuple[Tensor, Tensor]:
    """Choose pieces to predict and hide them, with torch's random numbers.

    Args:
        ids: ``[sequences, pieces]``.
        maskable: true for pieces that are neither special nor padding.
        weights: ``[vocabulary]``, relative frequency of being chosen; see `rarity`.
        others: ``[pieces]``, ids of random replacements.

    Returns:
        The ids with chosen pieces hidden, and the mask of the chosen pieces; both ``[sequences, pieces]``.
    """
    weight = weights[ids] * maskable
    chosen = torch.rand(ids.shape) < MASKED * weight * maskable.sum() / weight.sum().clamp(min=1e-9)
    draw = torch.rand(ids.shape)
    other = others[torch.randint(len(others), ids.shape)]
    hidden = torch.where(chosen & (draw < REPLACED), mask_id, ids)
    hidden = torch.where(chosen & (draw >= REPLACED) & (draw < REPLACED + RANDOM), other, hidden)
    return hidden, chosen


def rarity(counts: Tensor, exponent: float) -> Tensor:
    """Return the weights ``count^-exponent`` of pieces ``[vocabulary]`` (Conneau & Lample 2019: 0.5)."""
    return counts.clamp(min=1).float() ** -exponent
