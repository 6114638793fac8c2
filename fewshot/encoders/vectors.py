"""One vector a unit: run the encoder over a batch of windows and pool the pieces of each unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from fewshot.encoders.freezing import stack
from fewshot.encoders.pieces import NO_UNIT, Pieces, Window
from fewshot.errors import FewshotError

POOLINGS = ("mean", "first", "last", "max")
"""What the vector of a unit is made of: the mean of its pieces, one of them, or the largest value of each dimension."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The windows of several examples, padded.

    Args:
        ids: ``[windows, pieces]``.
        types: ``[windows, pieces]``, segment numbers.
        attention: ``[windows, pieces]``, 1 where there is a piece.
        slots: ``[windows * pieces]``, row of the unit a piece belongs to in the flattened ``[examples * units]``
            table; the row after the last for pieces of no unit.
        counts: ``[examples, units]``, pieces of each unit, 0 for padding.
        features: ``[examples, units]``, what the head is told of a unit beside its vector, 0 for nothing.
        lower: ``[windows, pieces, hidden]``, what the encoder's frozen lower part makes of it, if that is known.
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
        ids, types, attention, slots, counts, features = (one.to(device, non_blocking=True) for one in tensors)
        return Batch(ids, types, attention, slots, counts, features, self.lower)


def collate(examples: Sequence[Pieces], padding: int, lower: Sequence[Tensor] = ()) -> Batch:
    """Pad encoded examples to one batch.

    Args:
        padding: the id of the padding piece.
        lower: what the frozen lower part of the encoder makes of each example, ``[pieces, hidden]``, on the device of
            the encoder; its windows one after the other.
    """
    windows = [(row, window) for row, example in enumerate(examples) for window in example.windows]
    width = max(len(window.ids) for _, window in windows)
    units = max(1, max(example.units for example in examples))
    nowhere = len(examples) * units
    ids, types, attention, slots = [], [], [], []
    for row, window in windows:
        blank = width - len(window.ids)
        ids.append([*window.ids, *[padding] * blank])
        types.append([*window.types, *[0] * blank])
        attention.append([1] * len(window.ids) + [0] * blank)
        slots += [nowhere if unit == NO_UNIT else row * units + unit for unit in window.units] + [nowhere] * blank
    slot = torch.tensor(slots)
    counts = torch.bincount(slot, minlength=nowhere + 1)[:nowhere].view(len(examples), units)
    features = [[*example.features, *[0] * (units - len(example.features))] for example in examples]
    inputs = (torch.tensor(ids), torch.tensor(types), torch.tensor(attention))
    return Batch(*inputs, slot, counts, torch.tensor(features), _padded(lower, windows) if lower else None)


def _padded(lower: Sequence[Tensor], windows: Sequence[tuple[int, Window]]) -> Tensor:
    """Return ``[windows, pieces, hidden]``, zeros for padding."""
    sizes = [len(window.ids) for _, window in windows]
    return pad_sequence(torch.cat(list(lower)).split(sizes), batch_first=True)


def unit_vectors(module: nn.Module, batch: Batch, pooling: str = "mean") -> Tensor:
    """Encode a batch and pool the pieces of each unit.

    The mean keeps words of unsegmented scripts from being represented by a piece that says nothing.

    Args:
        pooling: one of `POOLINGS`.

    Returns:
        ``[examples, units, hidden]`` in single precision; zeros for padding.
    """
    return pool_pieces(last_layer(module, batch), batch, pooling)


def all_layers(module: nn.Module, batch: Batch) -> tuple[Tensor, ...]:
    """Encode a batch and return ``[windows, pieces, hidden]`` of the embeddings and of every layer.

    What transformers has for this, ``output_hidden_states``, gives nothing in a process that was handed the module, and
    leaves hooks with which it cannot be handed over.
    """
    found: list[Tensor] = []

    def collect(layer: nn.Module, args: tuple[Tensor, ...], named: dict[str, Tensor], output: Any) -> None:
        if not found:
            found.append(args[0] if args else named["hidden_states"])
        found.append(output[0] if isinstance(output, tuple) else output)

    hooks = [layer.register_forward_hook(collect, with_kwargs=True) for layer in stack(module)]
    try:
        last = last_layer(module, batch)
    finally:
        for hook in hooks:
            hook.remove()
    return (*found[:-1], last)


def pool_pieces(hidden: Tensor, batch: Batch, pooling: str = "mean") -> Tensor:
    """Make one vector of those of each unit's pieces.

    Args:
        hidden: ``[windows, pieces, hidden]``.
        batch: from `collate`.
        pooling: one of `POOLINGS`.

    Returns:
        ``[examples, units, hidden]`` in single precision; zeros for padding.
    """
    flat = hidden.reshape(-1, hidden.shape[-1]).float()
    examples, units = batch.counts.shape
    rows, slots = examples * units + 1, batch.slots  # the last row is that of pieces of no unit
    if pooling in ("first", "last"):
        places, which = torch.arange(len(flat), device=flat.device), "amin" if pooling == "first" else "amax"
        chosen = places.new_zeros(rows).scatter_reduce(0, slots, places, which, include_self=False)
        vectors = flat[chosen[:-1]] * batch.mask.view(-1, 1)
    elif pooling == "max":
        each = slots.unsqueeze(-1).expand_as(flat)
        vectors = flat.new_zeros(rows, flat.shape[-1]).scatter_reduce(0, each, flat, "amax", include_self=False)[:-1]
    else:
        summed = flat.new_zeros(rows, flat.shape[-1]).index_add(0, slots, flat)[:-1]
        vectors = summed / batch.counts.clamp(min=1).view(-1, 1)
    return vectors.view(examples, units, -1)


def takes_types(module: nn.Module) -> bool:
    """Return whether an encoder is told which segment a piece is of."""
    return int(getattr(module.config, "type_vocab_size", 0) or 0) > 1


def last_layer(module: nn.Module, batch: Batch) -> Tensor:
    """Encode a batch and return ``[windows, pieces, hidden]``.

    Raises:
        FewshotError: when the encoder reads more than text.
    """
    try:
        found: Tensor = module(**_inputs(module, batch)).last_hidden_state
    except ValueError as error:  # of kinds that ask for more than pieces: places on a page, a language, one length
        reason, kind = " ".join(str(error).split()), module.config.model_type  # type: ignore[union-attr]
        raise FewshotError(f"a {kind} model cannot be used here, since it reads more than text: {reason}") from None
    return found


def _inputs(module: nn.Module, batch: Batch) -> dict[str, Tensor]:
    inputs = {"input_ids": batch.ids, "attention_mask": batch.attention}
    if takes_types(module):
        inputs["token_type_ids"] = batch.types
    return inputs
