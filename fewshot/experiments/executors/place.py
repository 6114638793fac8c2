"""The place where a command runs its cells, chosen by its options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch

from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Workers, Workload
from fewshot.experiments.executors.cluster import connect_to_ray
from fewshot.experiments.executors.local import Local
from fewshot.experiments.machine import count_processes
from fewshot.options import MachineOptions
from fewshot.training.adapt import resolve_device

MIN_GPU_SHARE = 0.0001
"""The smallest share of a GPU that Ray accepts."""


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
