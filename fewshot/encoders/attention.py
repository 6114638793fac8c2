"""How an encoder computes attention: fused, but for trainings on short inputs on a CPU."""

from __future__ import annotations

from typing import Any

import torch

SHORT = 256
"""Pieces up to which the plain formula trains faster on a CPU; the fused one is slow to differentiate there."""


def suit(module: Any, device: torch.device, pieces: int) -> None:
    """Let an encoder compute attention in the way that trains fastest; the results are equal but for rounding.

    Args:
        module: of transformers; kinds that have one way alone are left alone.
        device: where it is trained.
        pieces: of the longest input of a batch.
    """
    _compute(module, "eager" if device.type == "cpu" and pieces <= SHORT else "sdpa")


def fuse(module: Any) -> None:
    """Undo `suit`: the fused way is the faster one where nothing is trained."""
    _compute(module, "sdpa")


def _compute(module: Any, way: str) -> None:
    if getattr(module, "_supports_sdpa", False) and module.config._attn_implementation != way:
        module.set_attn_implementation(way)  # looks through all modules
