"""The number of processes that this machine can run, by cores and memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

import torch

from fewshot.encoders.load import Encoder
from fewshot.experiments.executors.base import F, R, Workload

PROCESS_BYTES = 1.0e9
"""Memory of a process in addition to the weights: libraries and activations."""

WEIGHT_BYTES = 4 * 4
"""Memory of a trained weight: the weight, its gradient and the two moments of AdamW."""

CONTROL_GROUPS = Path("/sys/fs/cgroup")
"""Folder with the resource limits of containers and cluster jobs on Linux."""

OWN_GROUPS = Path("/proc/self/cgroup")
"""File that lists the control groups of this process: number, controllers (none: version 2), path."""


def count_processes(work: Workload[R, F], sharing: int = 1) -> int | None:
    """Return the number of processes that this machine can run: one per core, within half of the memory.

    Returns None where this process alone is best: on a GPU, on one core, and for a single run.

    Args:
        sharing: number of programs that share the memory, this one included; cores are the threads of this process.
    """
    if work.device.type != "cpu":
        return None
    most = min(torch.get_num_threads(), int(available_memory() / 2 / sharing / work.process_bytes), work.max_processes)
    return most if most > 1 else None


def training_bytes(encoder: Encoder) -> float:
    """Return the memory of a process that trains an encoder, without the embeddings, in bytes."""
    return PROCESS_BYTES + WEIGHT_BYTES * encoder.body_weights


def available_memory() -> float:
    """Return the memory of this machine, or the lower limit of its container or job, in bytes."""
    return min([_machine_memory(), *_limits(CONTROL_GROUPS, OWN_GROUPS)])


def _machine_memory() -> float:
    """Return the memory of the machine in bytes; on unknown systems that of a small laptop."""
    if not hasattr(os, "sysconf"):
        return 8e9
    return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _limits(root: Path, own: Path) -> Iterator[float]:
    """Yield the limits of the control groups (version 1 or 2) of a process and of their parents.

    In a container the root is the container's own group, whatever path the process sees.
    """
    groups = [("", "/"), ("memory", "/")]
    with suppress(OSError):  # not Linux
        groups += [(names, path) for _, names, path in (line.split(":", 2) for line in own.read_text().splitlines())]
    for names, path in groups:
        if names and "memory" not in names.split(","):
            continue
        folder, file = (root / "memory", "memory.limit_in_bytes") if names else (root, "memory.max")
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):
            with suppress(OSError, ValueError):  # the group is not visible, or its limit is "max"
                yield float(int((folder / group.relative_to("/") / file).read_text()))
