"""The table of embeddings, most of a small encoder's weights: shared by copies, trained in some rows.

The gradients of pieces that do not occur are zero, but an optimizer over the whole table would still read, move and
decay their rows in every update: nine tenths of the weights of *mini*, two thirds of XLM-R base.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel


class PartialEmbedding(nn.Module):
    """Replaces an embedding table ``[pieces, size]`` by the rows of the pieces that occur."""

    places: Tensor
    ids: Tensor
    whole: list[nn.Embedding]

    def __init__(self, whole: nn.Embedding, ids: Iterable[int]) -> None:
        super().__init__()
        self.whole = [whole]  # in a list, so that torch does not register it as a submodule
        self.ids = torch.tensor(sorted(set(ids)), device=whole.weight.device)
        places = torch.full((whole.num_embeddings,), -1, device=whole.weight.device)
        places[self.ids] = torch.arange(len(self.ids), device=places.device)
        self.register_buffer("places", places, persistent=False)
        self.weight = nn.Parameter(whole.weight.detach()[self.ids].clone(), whole.weight.requires_grad)
        padding = whole.padding_idx
        self.padding = None if padding is None or places[padding] < 0 else int(places[padding])

    def forward(self, ids: Tensor) -> Tensor:
        """Return ``[..., size]`` for ``[...]`` ids of pieces that occur."""
        return functional.embedding(self.places[ids], self.weight, self.padding)


def table(module: Any) -> Tensor:
    """Return an encoder's embeddings, ``[pieces, size]``."""
    weight: Tensor = module.get_input_embeddings().weight
    return weight


def is_plain(module: Any) -> bool:
    """Return whether an encoder's embeddings are a plain table, and nothing else."""
    return isinstance(module, PreTrainedModel) and type(module.get_input_embeddings()) is nn.Embedding


def copy_encoder(module: nn.Module) -> nn.Module:
    """Return a copy of an encoder that shares the plain embedding table, which trainings do not change."""
    if not is_plain(module):
        return copy.deepcopy(module)
    weight: Any = table(module)
    return copy.deepcopy(module, {id(weight): nn.Parameter(weight.detach(), weight.requires_grad)})


def unshare(module: Any) -> None:
    """Give an encoder with a plain table a table of its own."""
    if is_plain(module):
        embedding = module.get_input_embeddings()
        embedding.weight = nn.Parameter(embedding.weight.detach().clone())
        module.set_input_embeddings(embedding)


def replace_rows(module: Any, ids: Tensor, rows: Tensor) -> None:
    """Give an encoder a table of its own, with new rows ``[rows, size]`` for some ids ``[rows]``."""
    unshare(module)
    whole = table(module).data
    whole[ids] = rows.to(whole)


def narrow(module: Any, ids: Iterable[int]) -> None:
    """Keep, and train, only the embeddings of some pieces, padding included, until `widen`.

    Encoders without a plain table do not change.
    """
    if is_plain(module):
        whole = module.get_input_embeddings()
        padding = [] if whole.padding_idx is None else [whole.padding_idx]  # some encoders add padding themselves
        module.set_input_embeddings(PartialEmbedding(whole, [*ids, *padding]))


def deepcopy_memo(module: nn.Module) -> dict[int, Any]:
    """Return a memo for `copy.deepcopy` with which it does not copy the whole table of a narrowed encoder."""
    return {id(part.whole): part.whole for part in module.modules() if isinstance(part, PartialEmbedding)}


def widen(module: Any) -> Tensor | None:
    """Undo `narrow`, keeping the trained embeddings; return the sorted ids of trained pieces, or None."""
    narrowed = module.get_input_embeddings() if isinstance(module, PreTrainedModel) else None
    if not isinstance(narrowed, PartialEmbedding):
        return None
    (whole,) = narrowed.whole
    module.set_input_embeddings(whole)
    if not narrowed.weight.requires_grad:
        return None
    replace_rows(module, narrowed.ids, narrowed.weight.data)
    return narrowed.ids
