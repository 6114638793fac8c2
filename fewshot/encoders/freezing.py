"""Keep the bottom of an encoder as it is (Wu & Dredze 2019, section 5.2)."""

from __future__ import annotations

from typing import Any

from torch import nn

from fewshot.errors import FewshotError


def depth(module: Any) -> int:
    """Return how many layers an encoder runs, which some share their weights."""
    return int(module.config.num_hidden_layers)


def layers(module: Any) -> nn.ModuleList:
    """Return the transformer layers of an encoder, the lowest first.

    Raises:
        FewshotError: when the architecture keeps them in no module list, or layers share their weights.
    """
    found = stack(module)
    if len(found) < depth(module):
        raise FewshotError(
            f"the layers of an {type(module).__name__} share their weights, so that the lowest of them cannot be "
            "treated apart; train all or none, or use an encoder such as BERT or XLM-R"
        )
    return found


def stack(module: Any) -> nn.ModuleList:
    """Return what `layers` does, or groups of layers that share their weights (Lan et al. 2020, *ALBERT*).

    Raises:
        FewshotError: when the architecture keeps them in no module list.
    """
    size = getattr(module.config, "num_hidden_groups", None) or getattr(module.config, "num_hidden_layers", None)
    for child in module.modules():
        if isinstance(child, nn.ModuleList) and len(child) == size:
            return child
    raise FewshotError(f"cannot find the layers of a {type(module).__name__}; use an encoder such as BERT or XLM-R")


def freeze(module: nn.Module, bottom: int | None) -> None:
    """Fix the embeddings and the lowest layers.

    Args:
        module: a transformers encoder.
        bottom: number of layers (or groups of them that share their weights) to fix above the embeddings (0:
            embeddings only); more than there are fixes all; None fixes nothing.
    """
    module.requires_grad_(bottom is None)
    if bottom is not None:
        for layer in list(stack(module))[bottom:]:
            layer.requires_grad_(True)
