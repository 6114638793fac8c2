"""Checkpoints of pretraining: weights and optimizer state as tensors, replaced as a whole."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn

FILE = "checkpoint.safetensors"


def save(folder: Path, update: int, pieces: int, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Write a checkpoint after an update, by which so many pieces were seen; the one before stays until it is whole."""
    tensors = {f"model.{name}": value.detach().cpu().contiguous() for name, value in model.named_parameters()}
    for number, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{number}.{name}": value.detach().cpu().contiguous() for name, value in state.items()}
    partial = folder / f"{FILE}.partial"
    save_file(tensors, partial, metadata={"update": str(update), "pieces": str(pieces)})
    partial.replace(folder / FILE)


def load(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[int, int]:
    """Put a checkpoint's state into model and optimizer.

    Returns:
        Updates done and pieces seen; 0 and 0 when there is no checkpoint.
    """
    if not (folder / FILE).is_file():
        return 0, 0
    moments: dict[int, dict[str, torch.Tensor]] = {}
    with safe_open(folder / FILE, "pt") as file, torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(file.get_tensor(f"model.{name}"))
        for key in file.keys():  # noqa: SIM118 - a file, not a mapping
            part, _, rest = key.partition(".")
            if part == "optimizer":
                number, _, name = rest.partition(".")
                moments.setdefault(int(number), {})[name] = file.get_tensor(key)
        done = file.metadata()
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    return int(done["update"]), int(done["pieces"])


def remove(folder: Path) -> None:
    """Delete a checkpoint that is no longer needed."""
    (folder / FILE).unlink(missing_ok=True)
