"""The copy of an encoder that a training computes with, beside the weights that its optimizer moves."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from fewshot.encoders import precision, vocabulary
from fewshot.encoders.freezing import stack
from fewshot.encoders.lower import Lower, separated
from fewshot.encoders.pieces import Pieces
from fewshot.encoders.vectors import all_layers, collate, last_layer
from fewshot.training.batching import prediction_batches

AT_ONCE = 2048
"""Pieces that run through the lower part at once, padding included."""

MOST_KEPT = 256_000_000
"""Bytes of outputs of the frozen lower part that are kept for one kind of data."""


class WorkingCopy:
    """A copy of an encoder, in bf16 where the device multiplies its matrices natively.

    Gradients go from it to the encoder, whose weights, in single precision, are moved and copied into it again. Where
    bf16 is not native, and for encoders that cannot do with it or are none of transformers, both have the same weights.

    Args:
        module: an encoder; those of its weights are trained that require gradients.
        example: on which it is tried what the encoder can.
    """

    def __init__(self, module: nn.Module, device: torch.device, example: Pieces, padding: int) -> None:
        self.device, self.padding = device, padding
        self.example = collate([example], padding).to(device)
        self.lower: Lower | None = None
        of_transformers = any(isinstance(part, PreTrainedModel) for part in module.modules())
        in_bf16 = of_transformers and precision.computes_in_bf16(device, module)
        self._copy(module, torch.bfloat16 if in_bf16 else torch.float32)
        if in_bf16 and not self._computes():
            self._copy(module, torch.float32)

    def _copy(self, module: nn.Module, kind: torch.dtype) -> None:
        twins = [(weight, _twin(weight, kind)) for weight in module.parameters()]
        memo = {id(weight): twin for weight, twin in twins} | vocabulary.left_out(module)
        self.module: Any = copy.deepcopy(module, memo).eval()
        self.trained = [(weight, twin) for weight, twin in twins if weight.requires_grad and weight is not twin]

    @torch.no_grad()
    def _computes(self) -> bool:
        try:
            last_layer(self.module, self.example)
        except RuntimeError:  # an operation that torch does not have in bf16
            return False
        return True

    def separate(self, layers: int, dropout: float) -> None:
        """Keep what is frozen apart, if the encoder allows for it; else all of it drops out, and runs at every update.

        Args:
            layers: how many of the lowest layers are frozen, beside the embeddings.
            dropout: see `Lower`.
        """
        self.lower = separated(self.module, layers, dropout, self.example)

    @torch.no_grad()
    def run_lower(self, examples: Sequence[Pieces]) -> list[Tensor] | None:
        """Return what the frozen lower part makes of each example; None where it has to run at every update.

        That is so where none is kept apart, and where the outputs take more than `MOST_KEPT`.

        Args:
            examples: encoded inputs.

        Returns:
            ``[pieces, hidden]`` of each example, its windows one after the other.
        """
        if self.lower is None:
            return None
        sizes = [one.size for one in examples]
        found: dict[int, Tensor] = {}
        for rows in prediction_batches(sizes, AT_ONCE):
            batch = collate([examples[row] for row in rows], self.padding).to(self.device)
            outputs = all_layers(self.module, batch)[self.lower.layers][batch.attention > 0]
            if sum(sizes) * outputs[0].nbytes > MOST_KEPT:
                return None
            found.update(zip(rows, torch.split(outputs, [sizes[row] for row in rows]), strict=True))
        return [found[row] for row in range(len(examples))]

    def train(self) -> None:
        """Let the encoder drop out, but for a lower part that is kept apart."""
        for part in list(stack(self.module))[self.lower.layers :] if self.lower else [self.module]:
            part.train()

    @torch.no_grad()
    def give_gradients(self) -> None:
        """Add the gradients of the copy to those of the encoder."""
        for weight, twin in self.trained:
            if twin.grad is not None:
                weight.grad = twin.grad.float() if weight.grad is None else weight.grad.add_(twin.grad)
                twin.grad = None

    @torch.no_grad()
    def take_weights(self) -> None:
        """Make the weights of the copy those of the encoder."""
        if self.trained:
            weights, twins = zip(*self.trained, strict=True)
            torch._foreach_copy_(list(twins), list(weights))


def _twin(weight: nn.Parameter, kind: torch.dtype) -> nn.Parameter:
    if weight.dtype == kind:
        return weight
    return nn.Parameter(weight.detach().to(kind), requires_grad=weight.requires_grad)
