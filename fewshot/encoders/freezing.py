"""Keep the bottom of an encoder as it is (Wu & Dredze 2019, section 5.2)."""

from __future__ import annotations

from torch import nn

from fewshot.errors import FewshotError


def layers(module: nn.Module) -> nn.ModuleList:
    """Return the transformer layers of an encoder, the lowest first.

    Raises:
        FewshotError: when the architecture keeps them in no module list.
    """
    size = getattr(module.config, "num_hidden_layers", None)
    for child in module.modules():
        if isinstance(child, nn.ModuleList) and len(child) == size:
            return child
    raise FewshotError(f"cannot find the layers of a {type(module).__name__}; use an encoder such as BERT or XLM-R")


def freeze(module: nn.Module, bottom: int | None) -> None:
    """Fix the embeddings and the lowest layers.

    Args:
        module: a transformers encoder.
        bottom: number of layers to fix above the embeddings (0: embeddings only); more than there are fixes all;
            None fixes nothing.
    """
    module.requires_grad_(bottom is None)
    if bottom is not None:
        for layer in list(layers(module))[bottom:]:
            layer.requires_grad_(True)
