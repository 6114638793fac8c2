"""The place where a command runs its cells, chosen by its options, and how many processes fit there."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import torch

from fewshot.encoders.load import Encoder
from fewshot.encoders.vocabulary import tensors
from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import F, R, Workers, Workload
from fewshot.experiments.executors.cluster import connect_to_ray
from fewshot.experiments.executors.local import Local
from fewshot.options import MachineOptions
from fewshot.training.adapt import resolve_device

MIN_GPU_SHARE = 0.0001
"""The smallest share of a GPU that Ray accepts."""

PROCESS_BYTES = 1.0e9
"""Memory of a process in addition to the weights: libraries and activations."""

WEIGHT_BYTES = 4 * 4
"""Memory of a trained weight: the weight, its gradient and the two moments of AdamW."""

CONTROL_GROUPS = Path("/sys/fs/cgroup")
"""Folder with the resource limits of containers and cluster jobs on Linux."""

OWN_GROUPS = Path("/proc/self/cgroup")
"""File that lists the control groups of this process: number, controllers (none: version 2), path."""


@dataclass(frozen=True, slots=True)
class Place:
    """Device and workers of a command.

    Args:
        workers: returns the workers for a workload.
    """

    device: torch.device
    workers: Callable[[Workload[Any, Any]], Workers]


def this_process(device: torch.device) -> Place:
    """Return this process as the place, for work that is shorter than the start of other processes."""
    return Place(device, lambda work: Local())


def this_machine(device: str, jobs: int | None = None, sharing: int = 1) -> Place:
    """Return this machine, or a share of it, as the place.

    Args:
        jobs: number of parallel runs; None: as many as fit.
        sharing: see `count_processes`.

    Raises:
        FewshotError: when the device is not available.
    """
    return Place(resolve_device(device), lambda work: Local(jobs or count_processes(work, sharing)))


@contextmanager
def find_place(where: MachineOptions) -> Iterator[Place]:
    """Return the place that the options select; a cluster stays connected within the context.

    Raises:
        FewshotError: when options contradict one another, or the device or cluster is not available.
    """
    share = where.gpus_per_run
    if where.ray is None:
        if share:
            raise FewshotError("--gpus-per-run is for clusters only; add --ray, or leave it out")
        yield this_machine(where.device, where.jobs)
        return
    if where.jobs or where.device != "auto":
        flag = "--jobs" if where.jobs else "--device"
        raise FewshotError(f"{flag} is for this machine only; with --ray use --gpus-per-run")
    if not (share == 0 or MIN_GPU_SHARE <= share <= 1 or share % 1 == 0):
        raise FewshotError(f"--gpus-per-run is {share:g}; it must be {MIN_GPU_SHARE} to 1, or a whole number")
    with connect_to_ray(where.ray, share) as cluster:
        if where.ray == "local" and share and not cluster.at_once:
            raise FewshotError("this machine has no GPU that Ray could use; leave --gpus-per-run out")
        cluster_device = torch.device("cuda" if share else "cpu")
        yield Place(cluster_device, lambda work: replace(cluster, bytes_per_run=int(work.process_bytes)))


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
    """Return the memory of a process that trains an encoder, but not its embeddings, in bytes."""
    module: Any = encoder.module
    embeddings = sum(tensor.nbytes for tensor in tensors(module.get_input_embeddings()))
    return PROCESS_BYTES + WEIGHT_BYTES * encoder.body_weights + embeddings


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
