"""Checkpoints of a training, from which a stopped training resumes with the same result."""

from __future__ import annotations

import json
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

from fewshot.errors import FewshotError, first_line

FILE = "checkpoint.safetensors"

MIN_INTERVAL = 120.0
"""Minimum seconds of training between two checkpoints."""

MAX_TIME_SHARE = 0.05
"""Maximum share of the training time for writing checkpoints."""

UPDATE, SECONDS, NOTES, MADE_FROM = "update", "seconds", "notes", "made from"


@dataclass(frozen=True, slots=True)
class CheckpointContents:
    """The contents of a checkpoint besides the restored state.

    Args:
        update: last update of the checkpoint; 0: there is no checkpoint.
        notes: further values, as JSON.
        tensors: further tensors, by name.
    """

    update: int = 0
    notes: Mapping[str, Any] = field(default_factory=dict)
    tensors: Mapping[str, Tensor] = field(default_factory=dict)


class Checkpointer:
    """Writes and loads the checkpoints of one training, and measures its duration.

    Args:
        folder: folder of the checkpoint.
        made_from: identifies the training.
        updates: updates between two checkpoints; 0: by time, see `MIN_INTERVAL` and `MAX_TIME_SHARE`.
    """

    def __init__(self, folder: Path, made_from: str, clock: Callable[[], float] = monotonic, updates: int = 0) -> None:
        self.folder, self.made_from, self.clock, self.updates = folder, made_from, clock, updates
        self.file, self.partial = folder / FILE, folder / f"{FILE}.partial"
        self.started, self.before = clock(), 0.0
        self.due = self.started + MIN_INTERVAL

    @property
    def seconds(self) -> float:
        """Duration of the training, including earlier sessions up to their last checkpoints."""
        return self.before + self.clock() - self.started

    def load(self, module: nn.Module, optimizer: torch.optim.Optimizer) -> CheckpointContents:
        """Restore the state of module, optimizer and random numbers from a checkpoint, if any.

        Raises:
            FewshotError: when the checkpoint is damaged or belongs to another training.
        """
        if not self.file.is_file():
            return CheckpointContents()
        try:
            with safe_open(self.file, "pt") as file:
                facts = dict(file.metadata() or {})
                if facts.get(MADE_FROM, "") == self.made_from:
                    tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
                    update, self.before = (_number(facts[name]) for name in (UPDATE, SECONDS))
                    _put_in_place(tensors, module, optimizer)
                    return CheckpointContents(
                        int(update), dict(json.loads(facts[NOTES])), select_part(tensors, "other")
                    )
        except (OSError, SafetensorError, RuntimeError, KeyError, TypeError, ValueError) as error:
            raise FewshotError(
                f"{self.file}: damaged or of another version ({first_line(error)}); delete it to start again"
            ) from None
        raise FewshotError(
            f"{self.file}: belongs to a stopped training with other data or settings; repeat that training, give "
            "another folder, or delete the file"
        )

    def save_if_due(
        self,
        update: int,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        notes: Mapping[str, Any],
        tensors: Mapping[str, Tensor],
    ) -> None:
        """Write a checkpoint if it is due; the previous one is replaced when the new one is complete.

        Args:
            module: module whose trained parameters are stored.
            notes: see `CheckpointContents`.
            tensors: see `CheckpointContents`.

        Raises:
            FewshotError: when the folder cannot be written.
        """
        begun = self.clock()
        if update % self.updates == 0 if self.updates else begun >= self.due:
            facts = {UPDATE: str(update), SECONDS: str(self.seconds), NOTES: json.dumps(notes)}
            self.save(_state(module, optimizer, tensors), facts | {MADE_FROM: self.made_from})
            ended = self.clock()
            self.due = ended + max(MIN_INTERVAL, (ended - begun) / MAX_TIME_SHARE)

    def save(self, tensors: Mapping[str, Tensor], facts: dict[str, str]) -> None:
        """Write a checkpoint, see `save_if_due`."""
        flat = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            save_file(flat, self.partial, metadata=facts)
            with self.partial.open("r+b") as written:
                os.fsync(written.fileno())
            self.partial.replace(self.file)
        except (OSError, SafetensorError) as error:
            self.partial.unlink(missing_ok=True)
            raise FewshotError(
                f"{self.folder}: no checkpoint can be written: {getattr(error, 'strerror', None) or error}; free some "
                "space or correct the permissions, then repeat the command to resume from the last one"
            ) from None

    def remove(self) -> None:
        """Delete the checkpoint."""
        for file in (self.file, self.partial):
            file.unlink(missing_ok=True)


def select_part(tensors: Mapping[str, Tensor], name: str) -> dict[str, Tensor]:
    """Return the tensors whose names start with ``name.``, under the rest of their names."""
    return {key.removeprefix(f"{name}."): tensor for key, tensor in tensors.items() if key.startswith(f"{name}.")}


def _state(module: nn.Module, optimizer: torch.optim.Optimizer, other: Mapping[str, Tensor]) -> dict[str, Tensor]:
    parts: dict[str, Mapping[str, Tensor]] = {
        "model": {name: value for name, value in module.named_parameters() if value.requires_grad},
        "other": other,
        "random": {"cpu": torch.get_rng_state()},
        **{f"optimizer.{number}": state for number, state in optimizer.state_dict()["state"].items()},
    }
    if (device := next(module.parameters()).device).type == "cuda":
        parts["random"] = {**parts["random"], "cuda": torch.cuda.get_rng_state(device)}
    return {f"{part}.{name}": value for part, values in parts.items() for name, value in values.items()}


def _put_in_place(tensors: Mapping[str, Tensor], module: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if parameter.requires_grad or f"model.{name}" in tensors:
                parameter.copy_(tensors[f"model.{name}"])
    moments: dict[int, dict[str, Tensor]] = {}
    for name, tensor in select_part(tensors, "optimizer").items():
        number, _, moment = name.partition(".")
        moments.setdefault(int(number), {})[moment] = tensor
    groups: Any = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": moments, "param_groups": groups})
    torch.set_rng_state(tensors["random.cpu"])
    if "random.cuda" in tensors and (device := next(module.parameters()).device).type == "cuda":
        torch.cuda.set_rng_state(tensors["random.cuda"], device)


def _number(text: str) -> float:
    if not 0 <= float(text) < inf:
        raise ValueError(f"{text} is not a number of updates or seconds")
    return float(text)
