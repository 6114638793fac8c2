"""Where the runs of a command are carried out, by its options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Workers
from fewshot.experiments.executors.cluster import connected
from fewshot.experiments.executors.local import Local
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.machine import fitting
from fewshot.training.adapt import find_device


@dataclass(frozen=True, slots=True)
class Place:
    """Where runs are carried out.

    Args:
        device: that trains.
        workers: who carries out the runs of an experiment.
    """

    device: torch.device
    workers: Callable[[Experiment], Workers]


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
        yield Place(find_device(device), lambda experiment: Local(jobs or fitting(experiment)))
        return
    if jobs or device != "auto":
        option = "--jobs" if jobs else "--device"
        raise FewshotError(f"{option} is of this machine; leave it out with --ray, which has --gpus-per-run")
    with connected(ray, gpus_per_run) as cluster:
        yield Place(torch.device("cuda" if gpus_per_run else "cpu"), lambda experiment: cluster)
