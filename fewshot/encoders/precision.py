"""In which precision an encoder computes."""

from __future__ import annotations

import torch


def autocast(device: torch.device) -> torch.autocast:
    """Return a context in which matrices are multiplied in bf16 where the hardware does so, else in single precision.

    Args:
        device: CUDA has bf16; so have CPUs with AVX512-BF16 or AMX, on which it is about twice as fast. Weights stay in
            single precision.
    """
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=has_bf16(device))


def has_bf16(device: torch.device) -> bool:
    """Return whether a device multiplies bf16 matrices natively."""
    if device.type != "cpu":
        return device.type == "cuda"
    known = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
    return bool(known.get("avx512_bf16") or known.get("amx_bf16"))
