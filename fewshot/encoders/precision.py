"""The precision in which an encoder computes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

SINGLE_PRECISION = ("deberta",)
"""Model types that cannot compute in bf16: DeBERTa (v1) masks with the smallest number of single precision."""

AMPERE = (8, 0)
"""Compute capability of the first CUDA cards that multiply bf16 matrices."""


def autocast(device: torch.device, model: Any) -> torch.autocast:
    """Return a context that multiplies matrices in bf16 where that is native, else in single precision.

    CUDA cards from Ampere on have bf16, and so have CPUs with AVX512-BF16 or AMX, on which it is about twice as fast.
    Older cards only emulate bf16, and their fp16 would need loss scaling. Weights stay in single precision.

    Args:
        model: an encoder, or a module that holds one.
    """
    weights = next(model.parameters(), None) if isinstance(model, torch.nn.Module) else None
    whole = weights is None or weights.dtype == torch.float32  # else in bf16 already
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=whole and computes_in_bf16(device, model))


def computes_in_bf16(device: torch.device, model: Any) -> bool:
    """Return whether an encoder, or a module that holds one, can compute in bf16 natively."""
    parts: Iterable[Any] = model.modules() if isinstance(model, torch.nn.Module) else ()
    kind = next((getattr(part.config, "model_type", "") for part in parts if hasattr(part, "config")), "")
    return kind not in SINGLE_PRECISION and has_bf16(device)


def has_bf16(device: torch.device) -> bool:
    """Return whether a device multiplies bf16 matrices natively."""
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= AMPERE
    if device.type != "cpu":
        return False
    known = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    return bool(known.get("avx512_bf16") or known.get("amx_bf16"))
