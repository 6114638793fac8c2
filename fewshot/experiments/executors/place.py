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
from fewshot.options import Where
from fewshot.training.adapt import resolve_device

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
        device: see `resolve_device`.
        jobs: runs at once; None: as many as fit.
        sharing: see `fitting`.

    Raises:
        FewshotError: when the device is not there.
    """
    return Place(resolve_device(device), lambda work: Local(jobs or fitting(work, sharing)))


@contextmanager
def find_place(where: Where) -> Iterator[Place]:
    """Return where runs are carried out, to which this process is connected as long as the context lasts.

    Raises:
        FewshotError: when options contradict one another, device or cluster are not there.
    """
    share = where.gpus_per_run
    if where.ray is None:
        if share:
            raise FewshotError("--gpus-per-run shares the GPUs of a cluster; add --ray, or leave it out")
        yield this_machine(where.device, where.jobs)
        return
    if where.jobs or where.device != "auto":
        flag = "--jobs" if where.jobs else "--device"
        raise FewshotError(f"{flag} is of this machine; leave it out with --ray, which has --gpus-per-run")
    if not (share == 0 or LEAST_SHARE <= share <= 1 or share % 1 == 0):
        raise FewshotError(f"--gpus-per-run is {share:g}; it must be {LEAST_SHARE} to 1, or a whole number")
    with connected(where.ray, share) as cluster:
        if where.ray == "local" and share and not cluster.at_once:
            raise FewshotError("this machine has no GPU that Ray could share; leave --gpus-per-run out")
        device_there = torch.device("cuda" if share else "cpu")
        yield Place(device_there, lambda work: replace(cluster, bytes_per_run=int(work.process_bytes)))
