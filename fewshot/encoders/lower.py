"""The frozen lower part of an encoder: what it makes of a text is the same at every update, so that it runs once.

Dropout is off in it, and drops from its output instead: without any, ten sentences of tags teach 0.2 points less.
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
    """The embeddings and lowest layers of an encoder, which do not run where their output is known.

    Args:
        module: a transformers encoder; it is changed for good.
        layers: how many of its lowest layers; 0: the embeddings alone.
        dropout: share of the numbers of its output that are dropped while the layer above is trained.
    """

    def __init__(self, module: nn.Module, layers: int, dropout: float) -> None:
        self.layers, self.dropout = layers, dropout
        self.output: Tensor | None = None
        """Of the batch that the encoder reads next, ``[windows, pieces, hidden]``; None: the lower part runs."""
        for layer in list(stack(module))[:layers]:
            layer.forward = self._passing(layer.forward)
        stack(module)[layers].register_forward_pre_hook(self._replaced, with_kwargs=True)

    def _passing(self, forward: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            if self.output is None:
                return forward(*args, **named)
            return args[0] if args else named["hidden_states"]

        return run

    def _replaced(self, layer: nn.Module, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        given = args[0] if args else named["hidden_states"]
        output = functional.dropout(given if self.output is None else self.output, self.dropout, layer.training)
        return ((output, *args[1:]), named) if args else (args, named | {"hidden_states": output})


@torch.no_grad()
def separated(module: nn.Module, layers: int, dropout: float, batch: Batch) -> FrozenLower | None:
    """Return the lower part of an encoder; None where the encoder says something else without it.

    Args:
        module: in evaluation mode.
        layers: see `FrozenLower`.
        dropout: see `FrozenLower`.
        batch: on which that is tried: some kinds hand more from layer to layer than one tensor.
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
