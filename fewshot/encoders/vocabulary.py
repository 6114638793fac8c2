"""The table of embeddings, most of a small encoder: packed, shared by copies, trained in some rows.

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

from fewshot.encoders import packed


class PackedEmbedding(nn.Module):
    """An embedding table ``[pieces, size]`` that stays packed; rows are unpacked when they are looked up.

    It has no parameters: where the table is trained or changed, a part of it (`narrow`) or a plain table (`unpack`)
    takes its place. Use `unpack` too before an encoder is cast, resized or given a state dict.

    Args:
        numbers: see `packed.pack`.
        scales: see `packed.pack`.
    """

    numbers: Tensor
    scales: Tensor

    def __init__(self, numbers: Tensor, scales: Tensor, padding_idx: int | None) -> None:
        super().__init__()
        self.register_buffer("numbers", numbers, persistent=False)
        self.register_buffer("scales", scales, persistent=False)
        self.num_embeddings, self.padding_idx = len(numbers), padding_idx

    @property
    def weight(self) -> Tensor:
        """The whole table, unpacked anew by every access."""
        return packed.unpack(self.numbers, self.scales)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of pieces, and size of a vector."""
        return self.num_embeddings, self.scales.shape[1] * packed.BLOCK

    def forward(self, ids: Tensor) -> Tensor:
        """Return ``[..., size]`` for ``[...]`` ids."""
        places = ids.reshape(-1)
        return packed.unpack(self.numbers[places], self.scales[places]).view(*ids.shape, self.shape[1])

    def every(self, step: int) -> Tensor:
        """Return each ``step``-th number of the flattened table."""
        rows, columns = self.shape
        places = torch.arange(0, rows * columns, step)
        return self(places // columns).gather(1, (places % columns).unsqueeze(1)).squeeze(1)

    def _save_to_state_dict(self, destination: dict[str, Any], prefix: str, keep_vars: bool) -> None:
        """Store the whole table under its usual name, or this module itself if variables are kept as they are."""
        destination[f"{prefix}weight"] = self if keep_vars else self.weight


class PartialEmbedding(nn.Module):
    """Replaces an embedding table ``[pieces, size]`` by the rows of the pieces that occur."""

    places: Tensor
    ids: Tensor
    whole: list[nn.Embedding | PackedEmbedding]

    def __init__(self, whole: nn.Embedding | PackedEmbedding, ids: Iterable[int]) -> None:
        super().__init__()
        self.whole = [whole]  # in a list, so that torch does not register it as a submodule
        device = tensors(whole)[0].device
        self.ids = torch.tensor(sorted(set(ids)), device=device)
        places = torch.full((whole.num_embeddings,), -1, device=device)
        places[self.ids] = torch.arange(len(self.ids), device=places.device)
        self.register_buffer("places", places, persistent=False)
        trained = all(weight.requires_grad for weight in whole.parameters())
        self.weight = nn.Parameter(whole(self.ids).detach(), trained)
        padding = whole.padding_idx
        self.padding = None if padding is None or places[padding] < 0 else int(places[padding])

    def forward(self, ids: Tensor) -> Tensor:
        """Return ``[..., size]`` for ``[...]`` ids of pieces that occur."""
        return functional.embedding(self.places[ids], self.weight, self.padding)


def tensors(module: nn.Module) -> list[Tensor]:
    """Return the tensors that a module holds: parameters, and buffers such as those of a packed table."""
    return [*module.parameters(), *module.buffers()]


def table(module: Any) -> Tensor:
    """Return an encoder's embeddings, ``[pieces, size]``; a packed table is unpacked for that."""
    weight: Tensor = module.get_input_embeddings().weight
    return weight


def names(module: Any) -> set[str]:
    """Return the names of an encoder's embeddings in its state dict."""
    embeddings = module.get_input_embeddings()
    return {f"{name}.weight" for name, part in module.named_modules(remove_duplicate=False) if part is embeddings}


def is_plain(module: Any) -> bool:
    """Return whether an encoder's embeddings are a plain table, packed or not, and nothing else."""
    kinds = (nn.Embedding, PackedEmbedding)
    return isinstance(module, PreTrainedModel) and type(module.get_input_embeddings()) in kinds


def copy_encoder(module: nn.Module) -> nn.Module:
    """Return a copy of an encoder that shares the plain embedding table, which trainings do not change."""
    if not is_plain(module):
        return copy.deepcopy(module)
    embedding: Any = module.get_input_embeddings()  # type: ignore[operator]
    weights = {id(weight): nn.Parameter(weight.detach(), weight.requires_grad) for weight in embedding.parameters()}
    return copy.deepcopy(module, weights | {id(part): part for part in embedding.buffers()})


def unpack(module: Any) -> None:
    """Replace a packed table of an encoder by a plain one."""
    embedding = module.get_input_embeddings()
    if isinstance(embedding, PackedEmbedding):
        padding = embedding.padding_idx
        module.set_input_embeddings(nn.Embedding.from_pretrained(embedding.weight, freeze=False, padding_idx=padding))


def unshare(module: Any) -> None:
    """Give an encoder with a plain table an unpacked table of its own."""
    embedding = module.get_input_embeddings() if is_plain(module) else None
    if isinstance(embedding, PackedEmbedding):
        unpack(module)
    elif embedding is not None:
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
    module.set_input_embeddings(whole.requires_grad_(narrowed.weight.requires_grad))
    if not narrowed.weight.requires_grad:
        return None
    replace_rows(module, narrowed.ids, narrowed.weight.data)
    return narrowed.ids
