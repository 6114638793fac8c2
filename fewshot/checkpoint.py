"""Checkpoints: what a training has come to, on disk, so that one that was stopped goes on to the same result."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from fewshot.errors import FewshotError

FILE = "checkpoint.safetensors"

EVERY = 120.0
"""Seconds of training between two checkpoints, at least."""

SHARE = 0.05
"""Of the time of a training, what its checkpoints may take."""

UPDATE, MADE_FROM = "update", "made from"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of a training that was stopped, beside the state that was put in place.

    Args:
        update: the last one of the checkpoint; 0: there is none.
        numbers: what else was counted, by name.
        tensors: what else changes from update to update, by name.
    """

    update: int = 0
    numbers: Mapping[str, float] = field(default_factory=dict)
    tensors: Mapping[str, Tensor] = field(default_factory=dict)


def save(
    folder: Path,
    update: int,
    module: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    numbers: Mapping[str, float] | None = None,
    tensors: Mapping[str, Tensor] | None = None,
    made_from: str = "",
) -> None:
    """Write a checkpoint after an update; the one before stays until this one is whole.

    Args:
        module: of which those parameters are kept that are trained.
        optimizer: of these; it is kept too, as is the state of the random numbers.
        numbers: see `Kept`.
        tensors: see `Kept`.
        made_from: tells this training from others.

    Raises:
        FewshotError: when the folder cannot be written.
    """
    parts: dict[str, Mapping[str, Tensor]] = {
        "model": {name: value for name, value in module.named_parameters() if value.requires_grad},
        "other": tensors or {},
        "random": _random(module),
    }
    for number, state in optimizer.state_dict()["state"].items():
        parts[f"optimizer.{number}"] = state
    flat = {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}
    facts = {UPDATE: str(update), MADE_FROM: made_from, **{name: str(value) for name, value in (numbers or {}).items()}}
    partial = folder / f"{FILE}.partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save_file({name: value.detach().cpu().contiguous() for name, value in flat.items()}, partial, metadata=facts)
        with partial.open("r+b") as written:
            os.fsync(written.fileno())
        partial.replace(folder / FILE)
    except (OSError, SafetensorError) as error:
        partial.unlink(missing_ok=True)
        raise FewshotError(
            f"{folder}: no checkpoint can be written: {getattr(error, 'strerror', None) or error}; free some space or "
            "mend the permissions and repeat the command, which goes on from the last one"
        ) from None


def load(folder: Path, module: nn.Module, optimizer: torch.optim.Optimizer, made_from: str = "") -> Kept:
    """Put a checkpoint's state into module, optimizer and the random numbers.

    Raises:
        FewshotError: when the checkpoint is of another training, or damaged.
    """
    path = folder / FILE
    if not path.is_file():
        return Kept()
    try:
        with safe_open(path, "pt") as file:
            facts = dict(file.metadata() or {})
            ours = facts.pop(MADE_FROM, "") == made_from
            tensors = {name: file.get_tensor(name) for name in file.keys()} if ours else {}  # noqa: SIM118 - no mapping
        if ours:
            return _put_in_place(tensors, facts, module, optimizer)
    except (OSError, SafetensorError, RuntimeError, KeyError, TypeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise FewshotError(f"{path}: damaged or of another version ({reason}); delete it to begin again") from None
    raise FewshotError(
        f"{path}: of a training with other data or settings, which was stopped; repeat that, give another folder, or "
        "delete the file"
    )


def remove(folder: Path) -> None:
    """Delete a checkpoint that is no longer needed."""
    for name in (FILE, f"{FILE}.partial"):
        (folder / name).unlink(missing_ok=True)


class Keeper:
    """Keeps the checkpoints of one training, so seldom that they cost little, and knows how long it took.

    Args:
        folder: of the checkpoint.
        made_from: tells this training from others.
        clock: seconds, of any zero.
    """

    def __init__(self, folder: Path, made_from: str, clock: Callable[[], float] = monotonic) -> None:
        self.folder, self.made_from, self.clock = folder, made_from, clock
        self.started = clock()
        self.due = self.started + EVERY

    @property
    def seconds(self) -> float:
        """Time of the training, that of the sessions before, up to their last checkpoints, with it."""
        return self.clock() - self.started

    def load(self, module: nn.Module, optimizer: torch.optim.Optimizer) -> Kept:
        """Put the state of a training that was stopped in place, see `load`."""
        kept = load(self.folder, module, optimizer, self.made_from)
        self.started -= kept.numbers.get("seconds", 0.0)
        return kept

    def offer(
        self, update: int, module: nn.Module, optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]
    ) -> None:
        """Write a checkpoint after an update, if the last one is old enough, see `save`."""
        begun = self.clock()
        if begun >= self.due:
            numbers = {"seconds": self.seconds}
            save(self.folder, update, module, optimizer, numbers=numbers, tensors=tensors, made_from=self.made_from)
            ended = self.clock()
            self.due = ended + max(EVERY, (ended - begun) / SHARE)

    def remove(self) -> None:
        """Delete the checkpoint once it is no longer needed."""
        remove(self.folder)


def _put_in_place(
    tensors: Mapping[str, Tensor], facts: Mapping[str, str], module: nn.Module, optimizer: torch.optim.Optimizer
) -> Kept:
    numbers = {name: float(value) for name, value in facts.items()}
    bad = [name for name, number in numbers.items() if not 0 <= number < inf]
    if bad:
        raise ValueError(f"{bad[0]} is {facts[bad[0]]}")
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.requires_grad or f"model.{name}" in tensors:
                parameter.copy_(tensors[f"model.{name}"])
    moments: dict[int, dict[str, Tensor]] = {}
    for name, tensor in _part(tensors, "optimizer").items():
        number, _, moment = name.partition(".")
        moments.setdefault(int(number), {})[moment] = tensor
    groups: Any = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": moments, "param_groups": groups})
    _restore(_part(tensors, "random"), module)
    return Kept(int(numbers.pop(UPDATE)), numbers, _part(tensors, "other"))


def _part(tensors: Mapping[str, Tensor], name: str) -> dict[str, Tensor]:
    return {key.removeprefix(f"{name}."): tensor for key, tensor in tensors.items() if key.startswith(f"{name}.")}


def _random(module: nn.Module) -> dict[str, Tensor]:
    """Return the states of the random numbers of CPU and GPU."""
    device = next(module.parameters()).device
    return {"cpu": torch.get_rng_state()} | (
        {"cuda": torch.cuda.get_rng_state(device)} if device.type == "cuda" else {}
    )


def _restore(states: Mapping[str, Tensor], module: nn.Module) -> None:
    device = next(module.parameters()).device
    if "cpu" in states:
        torch.set_rng_state(states["cpu"])
    if "cuda" in states and device.type == "cuda":
        torch.cuda.set_rng_state(states["cuda"], device)
