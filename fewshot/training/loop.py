"""The training loop: takes batches and their losses, and trains a model in place."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from fewshot.checkpoint import CheckpointContents, Checkpointer
from fewshot.errors import DivergedError
from fewshot.progress import Progress

SLACK_BYTES = 400_000_000
"""Bytes by which a process may grow before it returns unused memory."""

STATM = Path("/proc/self/statm")
"""File where Linux gives the number of resident pages of a process, as the second number."""

B = TypeVar("B")


class Group(NamedTuple):
    """Parameters, their peak learning rate, and the schedule from the update (from 0) to a share of it."""

    parameters: Iterable[nn.Parameter]
    peak: float
    schedule: Callable[[int], float]
    decay: float = 0.0


class Training:
    """One training: the optimizer (AdamW), the mean of the weights, the checkpoints and the progress.

    ``done`` counts the updates, including those of the checkpoint; ``loss`` is the loss of the last update. Checkpoints
    store ``notes`` as JSON, which the caller may change: ``pieces`` is the number of pieces of text read.

    Args:
        groups: all parameters of the model that require gradients; others are ignored.
        clip: largest gradient norm.
        average: number of evenly spaced states whose mean is the final model (Schmidt et al. 2023); 1: the last state.
        checkpointer: of checkpoints; a stopped training continues from the last checkpoint.
        doing: name of the training in its progress.
    """

    def __init__(
        self,
        model: nn.Module,
        groups: Sequence[Group],
        updates: int,
        *,
        clip: float = 1.0,
        betas: tuple[float, float] = (0.9, 0.999),
        average: int = 1,
        checkpointer: Checkpointer | None = None,
        doing: str = "",
    ) -> None:
        self.model, self.updates, self.clip, self.checkpointer, self.doing = model, updates, clip, checkpointer, doing
        self.trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        parameter_groups = [
            {"params": trained, "weight_decay": group.decay, "peak": group.peak, "schedule": group.schedule}
            for group in groups
            if (trained := [parameter for parameter in group.parameters if parameter.requires_grad])
        ]
        self.optimizer = torch.optim.AdamW(parameter_groups, betas=betas, fused=True)
        self.average = Average(self.trained, updates, average)
        kept = checkpointer.load(model, self.optimizer) if checkpointer else CheckpointContents()
        self.done = self.kept = kept.update
        self.loss = torch.zeros(())
        self.notes: dict[str, Any] = {"pieces": 0, **kept.notes}
        self.average.restore(kept.update, kept.tensors)

    def run(self, batches: Iterable[B], losses: Callable[[B], Iterable[Tensor]]) -> Iterator[Progress]:
        """Run one update per batch and yield the progress after each; finally set the weights to their mean.

        Args:
            batches: of the remaining updates.
            losses: yields the losses of a batch, whose sum is the loss of the update. The gradients of a loss are
                computed before the next loss, so that only one graph is in memory.
        """
        trimmer = MemoryTrimmer()
        for batch in batches:
            for group in self.optimizer.param_groups:
                group["lr"] = group["peak"] * group["schedule"](self.done)
            self.loss = self._update(losses(batch), trimmer)
            self.done += 1
            self.average.add(self.done)
            if self.checkpointer:
                self.checkpointer.save_if_due(self.done, self.model, self.optimizer, self.notes, self.average.tensors)
            yield Progress(self.done, self.updates, self.doing, self.loss, self.kept)
        self.average.store()
        if not all(parameter.isfinite().all() for parameter in self.trained):
            if self.checkpointer:
                self.checkpointer.remove()
            raise DivergedError(
                "the training has ended in weights that are not finite numbers; "
                "lower the learning rates, or check the weights of the encoder"
            )

    def _update(self, losses: Iterable[Tensor], trimmer: MemoryTrimmer) -> Tensor:
        self.optimizer.zero_grad(set_to_none=True)
        total = torch.zeros((), device=self.trained[0].device)
        for loss in losses:
            torch.autograd.backward(loss)
            total += loss.detach()
            trimmer.trim()
        clip_gradients(self.trained, self.clip)
        self.optimizer.step()
        return total


def clip_gradients(parameters: Sequence[nn.Parameter], largest: float) -> None:
    """Scale gradients whose norm is too large, without a check on GPUs, which would have to synchronize."""
    moved = [parameter for parameter in parameters if parameter.grad is not None]
    norm = nn.utils.get_total_norm([parameter.grad for parameter in moved if parameter.grad is not None])
    if norm.device.type != "cpu" or not norm <= 0.99 * largest:  # near the limit torch decides
        nn.utils.clip_grads_with_norm_(moved, largest, norm)


class Average:
    """The running mean of evenly spaced states of the trained parameters; with one state there is no mean."""

    def __init__(self, parameters: Sequence[nn.Parameter], updates: int, states: int) -> None:
        self.parameters = parameters
        self.averaged_updates = {round(updates * (n + 1) / states) for n in range(states)} if states > 1 else set()
        self.mean: list[Tensor] = []
        self.seen = 0

    @property
    def tensors(self) -> dict[str, Tensor]:
        """The mean, for a checkpoint."""
        return {str(number): mean for number, mean in enumerate(self.mean)}

    def restore(self, update: int, tensors: Mapping[str, Tensor]) -> None:
        """Restore the mean from a checkpoint that was written after an update."""
        self.seen = sum(0 < averaged <= update for averaged in self.averaged_updates)
        self.mean = [tensors[str(n)].to(p.device) for n, p in enumerate(self.parameters)] if self.seen else []

    @torch.no_grad()
    def add(self, update: int) -> None:
        """Add the current parameters if the update is one of the averaged states."""
        if update not in self.averaged_updates:
            return
        self.seen += 1
        if not self.mean:
            self.mean = [p.detach().clone() for p in self.parameters]
        else:
            torch._foreach_lerp_(self.mean, [p.detach() for p in self.parameters], 1 / self.seen)

    @torch.no_grad()
    def store(self) -> None:
        """Set the parameters to the mean."""
        for parameter, mean in zip(self.parameters, self.mean, strict=False):
            parameter.copy_(mean)


class MemoryTrimmer:
    """Returns unused memory to the system, on Linux with glibc, which keeps gaps of freed tensors."""

    def __init__(self) -> None:
        self.level = resident_bytes()

    def trim(self) -> None:
        """Return unused memory if the process has grown by `SLACK_BYTES` since the last time."""
        if resident_bytes() > self.level + SLACK_BYTES and (malloc_trim := _malloc_trim()):
            malloc_trim(0)
            self.level = resident_bytes()


def resident_bytes() -> int:
    """Return the bytes of physical memory of this process; 0 when the system does not tell."""
    try:
        return int(STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return None
