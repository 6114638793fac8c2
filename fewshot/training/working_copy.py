"""The copy of an encoder that computes in a training; the optimizer moves the original weights."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from fewshot.encoders import precision, vocabulary
from fewshot.encoders.freezing import stack
from fewshot.encoders.lower import FrozenLower, split_lower
from fewshot.encoders.pieces import Pieces
from fewshot.encoders.vectors import all_layers, collate, last_layer
from fewshot.training.batching import prediction_batches

MAX_LOWER_PIECES = 2048
"""Most pieces of a batch of the frozen lower part, padding included."""

MAX_CACHED_BYTES = 256_000_000
"""Most bytes of cached outputs of the frozen lower part, per data set."""


class WorkingCopy:
    """A copy of an encoder, in bf16 where the device multiplies bf16 matrices natively.

    The copy's gradients are added to the encoder, whose single-precision weights are updated and copied back. Without
    native bf16, and for encoders that cannot use it or are not from transformers, copy and encoder share their weights.

    Args:
        example: input to test the encoder with.
    """

    def __init__(self, module: nn.Module, device: torch.device, example: Pieces, padding: int) -> None:
        self.device, self.padding = device, padding
        self.example = collate([example], padding).to(device)
        self.lower: FrozenLower | None = None
        of_transformers = any(isinstance(part, PreTrainedModel) for part in module.modules())
        in_bf16 = of_transformers and precision.computes_in_bf16(device, module)
        self._copy(module, torch.bfloat16 if in_bf16 else torch.float32)
        if in_bf16 and not self._can_compute():
            self._copy(module, torch.float32)

    def _copy(self, module: nn.Module, kind: torch.dtype) -> None:
        twins = [(weight, _twin(weight, kind)) for weight in module.parameters()]
        memo = {id(weight): twin for weight, twin in twins} | vocabulary.deepcopy_memo(module)
        self.module: Any = copy.deepcopy(module, memo).eval()
        self.trained = [(weight, twin) for weight, twin in twins if weight.requires_grad and weight is not twin]

    @torch.no_grad()
    def _can_compute(self) -> bool:
        try:
            last_layer(self.module, self.example)
        except RuntimeError:  # an operation that torch does not have in bf16
            return False
        return True

    def split_lower(self, layers: int, dropout: float) -> None:
        """Split off the embeddings and lowest layers, which are frozen, so that they run only once.

        Encoders that do not allow this drop out in all layers, and run in every update. For ``dropout`` see
        `FrozenLower`.
        """
        self.lower = split_lower(self.module, layers, dropout, self.example)

    @torch.no_grad()
    def run_lower(self, examples: Sequence[Pieces]) -> list[Tensor] | None:
        """Return the frozen lower part's outputs of each example, ``[pieces, hidden]`` over all its windows.

        Returns None when no lower part was split off, or the outputs take more than `MAX_CACHED_BYTES`.
        """
        if self.lower is None:
            return None
        sizes = [pieces.size for pieces in examples]
        cached: dict[int, Tensor] = {}
        for rows in prediction_batches(sizes, MAX_LOWER_PIECES):
            batch = collate([examples[row] for row in rows], self.padding).to(self.device)
            outputs = all_layers(self.module, batch)[self.lower.layers][batch.attention > 0]
            if sum(sizes) * outputs[0].nbytes > MAX_CACHED_BYTES:
                return None
            cached.update(zip(rows, torch.split(outputs, [sizes[row] for row in rows]), strict=True))
        return [cached[row] for row in range(len(examples))]

    def train(self) -> None:
        """Turn on the encoder's dropout, except in a lower part that was split off."""
        for part in list(stack(self.module))[self.lower.layers :] if self.lower else [self.module]:
            part.train()

    @torch.no_grad()
    def pass_gradients(self) -> None:
        """Add the gradients of the copy to those of the encoder."""
        for weight, twin in self.trained:
            if twin.grad is not None:
                weight.grad = twin.grad.float() if weight.grad is None else weight.grad.add_(twin.grad)
                twin.grad = None

    @torch.no_grad()
    def refresh_weights(self) -> None:
        """Copy the encoder's weights into the copy."""
        if self.trained:
            weights, twins = zip(*self.trained, strict=True)
            torch._foreach_copy_(list(twins), list(weights))


def _twin(weight: nn.Parameter, kind: torch.dtype) -> nn.Parameter:
    if weight.dtype == kind:
        return weight
    return nn.Parameter(weight.detach().to(kind), requires_grad=weight.requires_grad)
