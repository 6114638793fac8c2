"""Where the runs of a command are carried out, by its options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch

from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Work, Workers
from fewshot.experiments.executors.cluster import connected
from fewshot.experiments.executors.local import Local
from fewshot.experiments.machine import fitting
from fewshot.training.adapt import find_device

LEAST_SHARE = 0.0001
"""Of a GPU that Ray knows."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where runs are carried out.

    Args:
        device: that trains.
        workers: who carries out some work.
    """

    device: torch.device
    workers: Callable[[Work[Any, Any]], Workers]


def this_process(device: torch.device) -> Place:
    """Return this process alone, for what is done before others would have begun."""
    return Place(device, lambda work: Local())


def this_machine(device: str, jobs: int | None = None, sharing: int = 1) -> Place:
    """Return this machine, or a share of it.

    Args:
        device: see `find_device`.
        jobs: runs at once; None: as many as fit.
        sharing: see `fitting`.

    Raises:
        FewshotError: when the device is not there.
    """
    return Place(find_device(device), lambda work: Local(jobs or fitting(work, sharing)))


@contextmanager
def find_place(device: str, jobs: int | None, ray: str | None, gpus_per_run: float) -> Iterator[Place]:
    """Return where runs are carried out, to which this process is connected as long as the context lasts.

    Args:
        device: of this machine, see `find_device`.
        jobs: runs of this machine at once; None: as many as fit.
        ray: address of a Ray cluster, see `connected`; None: this machine.
        gpus_per_run: share of a GPU of the cluster that a run takes; 0: it takes a core.

    Raises:
        FewshotError: when options contradict one another, device or cluster are not there.
    """
    if ray is None:
        if gpus_per_run:
            raise FewshotError("--gpus-per-run shares the GPUs of a cluster; add --ray, or leave it out")
        yield this_machine(device, jobs)
        return
    if jobs or device != "auto":
        option = "--jobs" if jobs else "--device"
        raise FewshotError(f"{option} is of this machine; leave it out with --ray, which has --gpus-per-run")
    if not (gpus_per_run == 0 or LEAST_SHARE <= gpus_per_run <= 1 or gpus_per_run % 1 == 0):
        raise FewshotError(f"--gpus-per-run is {gpus_per_run:g}; it must be {LEAST_SHARE} to 1, or a whole number")
    with connected(ray, gpus_per_run) as cluster:
        if ray == "local" and gpus_per_run and not cluster.at_once:
            raise FewshotError("this machine has no GPU that Ray could share; leave --gpus-per-run out")
        device_there = torch.device("cuda" if gpus_per_run else "cpu")
        yield Place(device_there, lambda work: replace(cluster, bytes_per_run=int(work.process_bytes)))
