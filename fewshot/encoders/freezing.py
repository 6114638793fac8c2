"""Freeze the bottom of an encoder (Wu & Dredze 2019, section 5.2)."""

from __future__ import annotations

from typing import Any

from torch import nn

from fewshot.errors import FewshotError


def depth(module: Any) -> int:
    """Return the number of layers that an encoder runs, shared ones counted every time."""
    return int(module.config.num_hidden_layers)


def layers(module: Any) -> nn.ModuleList:
    """Return the transformer layers of an encoder, the lowest first.

    Raises:
        FewshotError: when the layers are in no module list, or share their weights.
    """
    separate = stack(module)
    if len(separate) < depth(module):
        raise FewshotError(
            f"the layers of an {type(module).__name__} share their weights, so that the lowest of them cannot be "
            "treated apart; train all or none, or use an encoder such as BERT or XLM-R"
        )
    return separate


def stack(module: Any) -> nn.ModuleList:
    """Return an encoder's layers, or its groups of layers that share weights (ALBERT, Lan et al. 2020).

    Raises:
        FewshotError: when the layers are in no module list.
    """
    size = getattr(module.config, "num_hidden_groups", None) or getattr(module.config, "num_hidden_layers", None)
    for child in module.modules():
        if isinstance(child, nn.ModuleList) and len(child) == size:
            return child
    raise FewshotError(f"cannot find the layers of a {type(module).__name__}; use an encoder such as BERT or XLM-R")


def freeze(module: nn.Module, bottom: int | None) -> None:
    """Freeze the embeddings and the lowest layers of a transformers encoder.

    Args:
        bottom: number of frozen layers (or groups that share weights) above the embeddings; 0: embeddings only; more
            than the encoder has: everything; None: nothing.
    """
    module.requires_grad_(bottom is None)
    if bottom is not None:
        for layer in list(stack(module))[bottom:]:
            layer.requires_grad_(True)
