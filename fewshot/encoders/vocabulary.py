"""The table of embeddings, most of a small encoder's weights: held once, and trained in those rows that occur.

Gradients of the other rows are zero, but an optimizer over the whole table would still read, move and decay all of it
at every update: of *mini* five sixths of the weights, of XLM-R base two thirds.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import PreTrainedModel


class Occurring(nn.Module):
    """Stands in for an embedding table and holds some of its rows.

    Args:
        whole: ``[pieces, size]``.
        ids: of the pieces that occur.
    """

    places: Tensor
    ids: Tensor
    whole: list[nn.Embedding]

    def __init__(self, whole: nn.Embedding, ids: Iterable[int]) -> None:
        super().__init__()
        self.whole = [whole]  # in a list, so that its weights are none of this module
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
    """Return whether an encoder's embeddings are nothing but a table; kinds of their own may do more than look up."""
    return isinstance(module, PreTrainedModel) and type(module.get_input_embeddings()) is nn.Embedding


def copied(module: nn.Module) -> nn.Module:
    """Return a copy of an encoder that shares the numbers of its plain table: no training changes them in place.

    The copy that a training with `narrow` and `widen` makes gets a table of its own.
    """
    if not is_plain(module):
        return copy.deepcopy(module)
    weight: Any = table(module)
    return copy.deepcopy(module, {id(weight): nn.Parameter(weight.detach(), weight.requires_grad)})


def unshare(module: Any) -> None:
    """Give an encoder a plain table of its own, wherever its architecture looks up; other kinds have theirs."""
    if is_plain(module):
        embedding = module.get_input_embeddings()
        embedding.weight = nn.Parameter(embedding.weight.detach().clone())
        module.set_input_embeddings(embedding)


def replace_rows(module: Any, ids: Tensor, rows: Tensor) -> None:
    """Give an encoder a table of its own, in which some rows are others.

    Args:
        ids: ``[rows]``.
        rows: ``[rows, size]``.
    """
    unshare(module)
    whole = table(module).data
    whole[ids] = rows.to(whole)


def narrow(module: Any, ids: Iterable[int]) -> None:
    """Let an encoder hold, and train, the embeddings of some pieces alone.

    Args:
        module: a transformers encoder, which can read no other pieces until `widen`; others are left alone.
        ids: the pieces; padding among them.
    """
    if is_plain(module):
        whole = module.get_input_embeddings()
        padding = [] if whole.padding_idx is None else [whole.padding_idx]  # some encoders pad by themselves
        module.set_input_embeddings(Occurring(whole, [*ids, *padding]))


def left_out(module: nn.Module) -> dict[int, Any]:
    """Return the whole table of a narrowed encoder as a memo of `copy.deepcopy`, which then does not copy it."""
    return {id(part.whole): part.whole for part in module.modules() if isinstance(part, Occurring)}


def widen(module: Any) -> Tensor | None:
    """Undo `narrow`, with the embeddings as they are now.

    Returns:
        The ids of the pieces that were trained, in order; None where none were.
    """
    narrowed = module.get_input_embeddings() if isinstance(module, PreTrainedModel) else None
    if not isinstance(narrowed, Occurring):
        return None
    (whole,) = narrowed.whole
    module.set_input_embeddings(whole)
    if not narrowed.weight.requires_grad:
        return None
    replace_rows(module, narrowed.ids, narrowed.weight.data)
    return narrowed.ids
