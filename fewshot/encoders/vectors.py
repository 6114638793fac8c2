"""Unit vectors: run the encoder over a batch of windows and pool the pieces of each unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from fewshot.encoders.freezing import stack
from fewshot.encoders.pieces import NO_UNIT, Pieces
from fewshot.errors import FewshotError

POOLINGS = ("mean", "first", "last", "max")
"""How pieces become the vector of a unit: their mean, the first or last piece, or the largest value of each
dimension."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The windows of several examples, padded.

    Args:
        ids: ``[windows, pieces]``.
        types: ``[windows, pieces]``, segment numbers.
        attention: ``[windows, pieces]``, 1 where there is a piece.
        slots: ``[windows * pieces]``, row of each piece's unit in the flattened ``[examples * units]`` table; pieces
            without a unit have the row after the last.
        counts: ``[examples, units]``, pieces of each unit, 0 for padding.
        features: ``[examples, units]``, see `Input`, 0 for none.
        lower: ``[windows, pieces, hidden]``, outputs of the encoder's frozen lower part, if known.
    """

    ids: Tensor
    types: Tensor
    attention: Tensor
    slots: Tensor
    counts: Tensor
    features: Tensor
    lower: Tensor | None = None

    @property
    def mask(self) -> Tensor:
        """``[examples, units]``, true where there is a unit."""
        return self.counts > 0

    def to(self, device: torch.device) -> Batch:
        """Return the batch on a device."""
        tensors = (self.ids, self.types, self.attention, self.slots, self.counts, self.features)
        ids, types, attention, slots, counts, features = (tensor.to(device, non_blocking=True) for tensor in tensors)
        return Batch(ids, types, attention, slots, counts, features, self.lower)


def collate(examples: Sequence[Pieces], padding: int, lower: Sequence[Tensor] = ()) -> Batch:
    """Pad encoded examples to one batch.

    Args:
        padding: the id of the padding piece.
        lower: outputs of the frozen lower part for each example, ``[pieces, hidden]``, its windows concatenated, on the
            encoder's device.
    """
    windows = [(row, window) for row, example in enumerate(examples) for window in example.windows]
    width = max(len(window.ids) for _, window in windows)
    units = max(1, max(example.units for example in examples))
    no_slot = len(examples) * units
    ids, types, attention, slots = [], [], [], []
    for row, window in windows:
        blank = width - len(window.ids)
        ids.append([*window.ids, *[padding] * blank])
        types.append([*window.types, *[0] * blank])
        attention.append([1] * len(window.ids) + [0] * blank)
        slots += [no_slot if unit == NO_UNIT else row * units + unit for unit in window.units] + [no_slot] * blank
    slot = torch.tensor(slots)
    counts = torch.bincount(slot, minlength=no_slot + 1)[:no_slot].view(len(examples), units)
    features = [[*example.features, *[0] * (units - len(example.features))] for example in examples]
    inputs = (torch.tensor(ids), torch.tensor(types), torch.tensor(attention))
    sizes = [len(window.ids) for _, window in windows]
    known = pad_sequence(torch.cat(list(lower)).split(sizes), batch_first=True) if lower else None
    return Batch(*inputs, slot, counts, torch.tensor(features), known)


def unit_vectors(module: nn.Module, batch: Batch, pooling: str = "mean") -> Tensor:
    """Encode a batch and pool the pieces of each unit; see `pool_pieces`."""
    return pool_pieces(last_layer(module, batch), batch, pooling)


def all_layers(module: nn.Module, batch: Batch) -> tuple[Tensor, ...]:
    """Encode a batch and return ``[windows, pieces, hidden]`` of the embeddings and of every layer.

    The option ``output_hidden_states`` of transformers fails in a process that was sent the module, and its hooks
    prevent sending.
    """
    outputs: list[Tensor] = []

    def collect(layer: nn.Module, args: tuple[Tensor, ...], named: dict[str, Tensor], output: Any) -> None:
        if not outputs:
            outputs.append(args[0] if args else named["hidden_states"])
        outputs.append(output[0] if isinstance(output, tuple) else output)

    hooks = [layer.register_forward_hook(collect, with_kwargs=True) for layer in stack(module)]
    try:
        last = last_layer(module, batch)
    finally:
        for hook in hooks:
            hook.remove()
    return (*outputs[:-1], last)


def pool_pieces(hidden: Tensor, batch: Batch, pooling: str = "mean") -> Tensor:
    """Pool the vectors of each unit's pieces.

    Args:
        hidden: ``[windows, pieces, hidden]``.
        pooling: one of `POOLINGS`. The mean is the default because the first piece of a word in an unsegmented script
            may be uninformative.

    Returns:
        ``[examples, units, hidden]`` in single precision; zeros for padding.
    """
    flat = hidden.reshape(-1, hidden.shape[-1]).float()
    examples, units = batch.counts.shape
    rows, slots = examples * units + 1, batch.slots  # the last row is for pieces without a unit
    if pooling in ("first", "last"):
        places, reduce = torch.arange(len(flat), device=flat.device), "amin" if pooling == "first" else "amax"
        chosen = places.new_zeros(rows).scatter_reduce(0, slots, places, reduce, include_self=False)
        vectors = flat[chosen[:-1]] * batch.mask.view(-1, 1)
    elif pooling == "max":
        index = slots.unsqueeze(-1).expand_as(flat)
        vectors = flat.new_zeros(rows, flat.shape[-1]).scatter_reduce(0, index, flat, "amax", include_self=False)[:-1]
    else:
        assert pooling == "mean", f"{pooling} is in POOLINGS and has no branch"
        summed = flat.new_zeros(rows, flat.shape[-1]).index_add(0, slots, flat)[:-1]
        vectors = summed / batch.counts.clamp(min=1).view(-1, 1)
    return vectors.view(examples, units, -1)


def takes_types(module: nn.Module) -> bool:
    """Return whether an encoder takes segment numbers."""
    return int(getattr(module.config, "type_vocab_size", 0) or 0) > 1


def last_layer(module: nn.Module, batch: Batch) -> Tensor:
    """Encode a batch and return ``[windows, pieces, hidden]``.

    Raises:
        FewshotError: when the encoder needs more than text.
    """
    inputs = {"input_ids": batch.ids, "attention_mask": batch.attention}
    if takes_types(module):
        inputs["token_type_ids"] = batch.types
    try:
        hidden: Tensor = module(**inputs).last_hidden_state
    except ValueError as error:  # kinds that need more than pieces: places on a page, a language, one length
        reason, kind = " ".join(str(error).split()), module.config.model_type  # type: ignore[union-attr]
        raise FewshotError(f"a {kind} model cannot be used, since it needs more than text: {reason}") from None
    return hidden
