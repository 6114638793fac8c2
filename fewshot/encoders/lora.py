"""Low-rank adaptation (Hu et al. 2021) with peft; adapters are merged into the encoder after training."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from torch import Tensor, nn

ADAPTED_LAYERS = {
    *("query", "key", "value", "dense", "ffn", "ffn_output"),
    *("q_lin", "k_lin", "v_lin", "out_lin", "lin1", "lin2"),
    *("q", "k", "v", "o", "wi", "wi_0", "wi_1", "wo"),
}
"""Names of the linear layers that get an adapter: attention and feed-forward layers of encoders like BERT, RoBERTa
and ALBERT, DistilBERT, and T5."""


PEFT_PREFIX = "base_model.model."
"""Prefix of tensor names in peft's files."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """The LoRA factors that were merged into an encoder.

    Args:
        alpha: the factors' product was scaled by ``alpha / rank``.
        base: name of the pretrained encoder; empty if the encoder had been trained before.
        tensors: the factors, by their names in peft's files.
    """

    rank: int
    alpha: int
    base: str
    tensors: Mapping[str, Tensor]

    @property
    def adapted(self) -> list[str]:
        """Names of the linear layers that have an adapter."""
        return sorted({name.removeprefix(PEFT_PREFIX).partition(".lora_")[0] for name in self.tensors})

    def save(self, folder: Path) -> None:
        """Write the adapter in the format of ``peft.PeftModel.from_pretrained``."""
        from peft import LoraConfig

        config = LoraConfig(r=self.rank, lora_alpha=self.alpha, target_modules=self.adapted, inference_mode=True)
        config.save_pretrained(folder)
        save_file({name: tensor.contiguous() for name, tensor in self.tensors.items()}, folder / ADAPTER)


ADAPTER = "adapter_model.safetensors"
"""Name of peft's weights file."""


def add(module: nn.Module, rank: int, alpha: int, dropout: float) -> nn.Module:
    """Freeze an encoder and add an adapter to each linear layer of its attention and feed-forward parts.

    The adapters' output is scaled by ``alpha / rank``; dropout applies to their input. Undo it with `merge`.
    """
    from peft import LoraConfig, get_peft_model

    linear = {name.rpartition(".")[2] for name, part in module.named_modules() if isinstance(part, nn.Linear)}
    targets = sorted(linear & ADAPTED_LAYERS) or "all-linear"
    config = LoraConfig(r=rank, lora_alpha=alpha, lora_dropout=dropout, target_modules=targets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft reads an attribute that transformers has renamed
        adapted: nn.Module = get_peft_model(module, config)
    return adapted


def take(module: nn.Module, base: str) -> Adapter:
    """Return a copy of the adapters that `add` has put into an encoder; `merge` removes them there.

    Args:
        base: see `Adapter`.
    """
    from peft import get_peft_model_state_dict

    config: Any = module.peft_config["default"]  # type: ignore[index]
    factors = get_peft_model_state_dict(module, save_embedding_layers=False)  # True would query the hub
    tensors = {name: tensor.detach().cpu().clone() for name, tensor in factors.items()}
    return Adapter(config.r, config.lora_alpha, base, tensors)


def merge(module: nn.Module) -> nn.Module:
    """Add the adapters to the weights and return the plain encoder."""
    plain: nn.Module = module.merge_and_unload()  # type: ignore[operator]
    return plain
