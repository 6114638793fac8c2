"""Low-rank adaptation (Hu et al. 2021) through peft: merged into the encoder when training ends."""

from __future__ import annotations

from torch import nn

LEAVES = {"query", "key", "value", "dense", "q_lin", "k_lin", "v_lin", "out_lin", "lin1", "lin2"}
"""Linear layers that get an adapter: attention and feed-forward of BERT-, RoBERTa- and DistilBERT-like encoders."""


def add(module: nn.Module, rank: int, alpha: int, dropout: float) -> nn.Module:
    """Freeze an encoder and put an adapter beside each linear layer of its attention and feed-forward parts.

    Args:
        module: a transformers encoder.
        rank: of the adapters.
        alpha: the adapters' output is scaled by ``alpha / rank``.
        dropout: on the adapters' input.

    Returns:
        The adapted encoder; `merge` gives a plain one back.
    """
    from peft import LoraConfig, get_peft_model

    linear = {name.rpartition(".")[2] for name, part in module.named_modules() if isinstance(part, nn.Linear)}
    targets = sorted(linear & LEAVES) or "all-linear"
    config = LoraConfig(r=rank, lora_alpha=alpha, lora_dropout=dropout, target_modules=targets)
    adapted: nn.Module = get_peft_model(module, config)
    return adapted


def merge(module: nn.Module) -> nn.Module:
    """Add the adapters into the weights and return the plain encoder."""
    plain: nn.Module = module.merge_and_unload()  # type: ignore[operator]
    return plain
