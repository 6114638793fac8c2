"""The implementation of attention: fused, except in training on short inputs on a CPU."""

from __future__ import annotations

from typing import Any

import torch

MAX_EAGER_PIECES = 256
"""Longest input for which the plain formula trains faster on a CPU, where the fused one is slow to differentiate."""


def choose(module: Any, device: torch.device, pieces: int) -> None:
    """Choose the fastest attention to train on inputs of a length; results differ by rounding.

    Encoders with a single implementation are left alone.
    """
    _set(module, "eager" if device.type == "cpu" and pieces <= MAX_EAGER_PIECES else "sdpa")


def fuse(module: Any) -> None:
    """Use fused attention, which is faster for inference."""
    _set(module, "sdpa")


def _set(module: Any, implementation: str) -> None:
    if getattr(module, "_supports_sdpa", False) and module.config._attn_implementation != implementation:
        module.set_attn_implementation(implementation)  # slow: visits all modules
