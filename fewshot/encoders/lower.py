"""The frozen lower part of an encoder; its output, the same in every update, is computed once.

Dropout applies to its output instead of inside: without any dropout, ten sentences of tags score 0.2 points lower.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from fewshot.encoders.freezing import depth, stack
from fewshot.encoders.vectors import Batch, all_layers, last_layer
from fewshot.errors import FewshotError


class FrozenLower:
    """The embeddings and lowest layers of an encoder, which are skipped when their output is known.

    Args:
        module: a transformers encoder; changed for good.
        layers: number of its lowest layers; 0: the embeddings alone.
        dropout: rate on the output while the layer above is trained.
    """

    def __init__(self, module: nn.Module, layers: int, dropout: float) -> None:
        self.layers, self.dropout = layers, dropout
        self.output: Tensor | None = None
        """Known output for the next batch, ``[windows, pieces, hidden]``; None: run the lower part."""
        for layer in list(stack(module))[:layers]:
            layer.forward = self._skip_if_known(layer.forward)
        stack(module)[layers].register_forward_pre_hook(self._replace_input, with_kwargs=True)

    def _skip_if_known(self, forward: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            if self.output is None:
                return forward(*args, **named)
            return args[0] if args else named["hidden_states"]

        return run

    def _replace_input(self, layer: nn.Module, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        given = args[0] if args else named["hidden_states"]
        output = functional.dropout(given if self.output is None else self.output, self.dropout, layer.training)
        return ((output, *args[1:]), named) if args else (args, named | {"hidden_states": output})


@torch.no_grad()
def split_lower(module: nn.Module, layers: int, dropout: float, batch: Batch) -> FrozenLower | None:
    """Split the lower part off an encoder in evaluation mode; None if that changes the output on a batch.

    Some encoders pass more than one tensor from layer to layer.
    """
    if len(stack(module)) != depth(module) or layers >= depth(module):
        return None
    usual, lower = all_layers(module, batch), FrozenLower(module, layers, dropout)
    lower.output = usual[layers]
    try:
        same = torch.allclose(last_layer(module, batch), usual[-1], rtol=0.01, atol=0.01)
    except (FewshotError, RuntimeError, ValueError, IndexError, TypeError, AttributeError, KeyError):
        same = False
    lower.output = None
    if not same:
        lower.dropout = 0.0
    return lower if same else None
