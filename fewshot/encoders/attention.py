"""How an encoder computes attention while it is trained."""

from __future__ import annotations

from typing import Any

import torch

SHORT = 160
"""Pieces up to which the plain formula is faster on a CPU, where the fused one is slow to differentiate."""


def suit(module: Any, device: torch.device, longest: int) -> None:
    """Let an encoder compute attention in the way that trains fastest.

    The results are the same but for rounding; so is the memory, which the plain formula takes more of for long inputs.

    Args:
        module: of transformers; others are left alone.
        device: where it is trained.
        longest: pieces of the longest input.
    """
    if hasattr(module, "set_attn_implementation"):
        plain = device.type == "cpu" and longest <= SHORT
        module.set_attn_implementation("eager" if plain else "sdpa")
