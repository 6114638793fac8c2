"""Train the embeddings of those pieces alone that occur in the data.

Gradients of the others are zero, but an optimizer over the whole table would still read, move and decay all of it at
every update: of *mini* nine tenths of the weights, of XLM-R base two thirds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel


class Occurring(nn.Module):
    """Stands in for an embedding table and holds some of its rows.

    Args:
        table: ``[pieces, size]``.
        ids: of the pieces that occur.
    """

    places: Tensor
    ids: Tensor
    table: list[nn.Embedding]

    def __init__(self, table: nn.Embedding, ids: Iterable[int]) -> None:
        super().__init__()
        self.table = [table]  # in a list, so that its weights are none of this module
        self.ids = torch.tensor(sorted(set(ids)), device=table.weight.device)
        places = torch.full((table.num_embeddings,), -1, device=table.weight.device)
        places[self.ids] = torch.arange(len(self.ids), device=places.device)
        self.register_buffer("places", places, persistent=False)
        self.weight = nn.Parameter(table.weight.detach()[self.ids].clone())
        padding = table.padding_idx
        self.padding = None if padding is None or places[padding] < 0 else int(places[padding])

    def forward(self, ids: Tensor) -> Tensor:
        """Return ``[..., size]`` for ``[...]`` ids of pieces that occur."""
        return functional.embedding(self.places[ids], self.weight, self.padding)


def narrow(module: Any, ids: Iterable[int]) -> None:
    """Let an encoder whose embeddings are trained train those of some pieces.

    Args:
        module: a transformers encoder, which can read no other pieces until `widen`; others are left alone.
        ids: the pieces; padding among them.
    """
    table = module.get_input_embeddings() if isinstance(module, PreTrainedModel) else None
    if type(table) is nn.Embedding and table.weight.requires_grad:  # kinds of their own may do more than look up
        padding = [] if table.padding_idx is None else [table.padding_idx]  # some encoders pad by themselves
        module.set_input_embeddings(Occurring(table, [*ids, *padding]))


@torch.no_grad()
def widen(module: Any) -> None:
    """Undo `narrow`, with the embeddings as they are now."""
    narrowed = module.get_input_embeddings() if isinstance(module, PreTrainedModel) else None
    if isinstance(narrowed, Occurring):
        (table,) = narrowed.table
        table.weight[narrowed.ids] = narrowed.weight.data
        module.set_input_embeddings(table)
