"""A Ray cluster's processes: those of several machines, or of the machines that a scheduler lends.

What runs share (source model, corpus, shots, the test set encoded) is put into Ray's object store once, from which each
machine fetches it once and each of its processes keeps it. Findings come back to the process that asked, which alone
writes: machines need no common disk. A run whose machine is lost is begun again on another; its number is the same,
since it depends on its seed alone.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import Any, Self

import torch

from fewshot.encoders.pieces import Pieces
from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Executor, Finding, Run, Tell, carry_out, keep
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Condition
from fewshot.progress import Progress
from fewshot.training.model import Model

BEGUN_AT_MOST = 1000
"""Runs that Ray holds at once, so that it sees how many machines they could use."""

BEGUN_AGAIN = 5
"""Times that a run is begun again whose machine, or process, is lost."""

ANSWERS_WITHIN = 10.0
"""Seconds that a cluster has to answer."""

LOOKED_EVERY = 1.0
"""Seconds between two looks at how far the runs are."""

TOLD_EVERY = 5.0
"""Seconds between two messages of a run on how far it is."""

Handed = tuple[Experiment, Sequence[Sequence[Pieces]]]
"""What all runs need: the experiment, and its test set encoded."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster that this process is connected to.

    Args:
        ray: the library.
        gpus_per_run: share of a GPU that a run takes; 0: it takes one core.
    """

    ray: Any
    gpus_per_run: float = 0.0

    def __str__(self) -> str:
        nodes = sum(node["Alive"] for node in self.ray.nodes())
        share = f"{self.gpus_per_run:g} of a GPU" if self.gpus_per_run else "a core"
        return f"{self.at_once} at once, {share} each, on {nodes} node{'' if nodes == 1 else 's'} of Ray"

    @property
    def at_once(self) -> int:
        """Runs that the machines which are there now take at once; a cluster may grow."""
        there = self.ray.cluster_resources()
        return max(1, int(there.get("GPU", 0) / self.gpus_per_run if self.gpus_per_run else there.get("CPU", 0)))

    def executor(self, experiment: Experiment, runs: int) -> Executor:
        """Return what carries out that many runs of an experiment."""
        return OnCluster(experiment, self)


@contextmanager
def connected(address: str, gpus_per_run: float = 0.0) -> Iterator[Cluster]:
    """Connect to a cluster, and leave it at the end.

    Args:
        address: ``auto``, the one that this machine belongs to; ``local``, a new one of this machine alone; or
            ``ray://HOST:10001``.
        gpus_per_run: see `Cluster`.

    Raises:
        FewshotError: when Ray is missing, or no cluster is there.
    """
    try:
        ray = import_module("ray")
    except ImportError:
        raise FewshotError("Ray, which runs on clusters, is missing; pip install 'fewshot[ray]'") from None
    try:
        _knock(address)
        ray.init(address, log_to_driver=False, logging_level="error")
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise FewshotError(f"no Ray cluster at {address!r} ({reason}); start one by: ray start --head") from None
    try:
        yield Cluster(ray, gpus_per_run)
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Connect to the port of an address that names one, once: where nobody answers, Ray itself tries for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host, int(port)), timeout=ANSWERS_WITHIN).close()


class Board:
    """Where runs write how far they are; an actor, since they are on several machines."""

    def __init__(self) -> None:
        self._written: dict[Condition, Progress] = {}

    def write(self, condition: Condition, now: Progress) -> None:
        """Write how far a run is."""
        self._written[condition] = now

    def take(self) -> dict[Condition, Progress]:
        """Return what was written since this was last asked for."""
        written, self._written = self._written, {}
        return written


class OnCluster:
    """The runs of an experiment, each a task of Ray.

    Args:
        experiment: whose runs they are.
        cluster: that carries them out.
    """

    def __init__(self, experiment: Experiment, cluster: Cluster) -> None:
        self._experiment, self._ray = experiment, cluster.ray
        what = {"num_cpus": 0, "num_gpus": cluster.gpus_per_run} if cluster.gpus_per_run else {"num_cpus": 1}
        self._task = self._ray.remote(max_retries=BEGUN_AGAIN, **what)(work)
        self._runs: dict[Any, Run] = {}

    def __enter__(self) -> Self:
        ray, experiment = self._ray, self._experiment
        pieces = experiment.trainer.start.encode(experiment.corpus.test)
        self._handed = ray.put((replace(experiment, name=str), pieces))
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=True
        )
        self._board = ray.remote(num_cpus=0, max_restarts=-1, scheduling_strategy=here)(Board).remote()
        return self

    def __exit__(self, *raised: object) -> None:
        for task in self._runs:
            self._ray.cancel(task, force=True)
        self._ray.kill(self._board)

    @property
    def free(self) -> int:
        """How many more runs Ray takes."""
        return BEGUN_AT_MOST - len(self._runs)

    @property
    def busy(self) -> bool:
        """Whether any has not ended."""
        return bool(self._runs)

    def begin(self, run: Run) -> None:
        """Hand a run over."""
        self._runs[self._task.remote([self._handed], run, self._board)] = run  # in a list Ray leaves it where it is

    def ended(self, tell: Tell) -> Iterator[tuple[Run, Finding]]:
        """Look once, and yield the runs that have ended."""
        self._ray.wait(list(self._runs), timeout=LOOKED_EVERY)
        tasks, _ = self._ray.wait(list(self._runs), num_returns=len(self._runs), timeout=0)
        under_way = {run.condition for task, run in self._runs.items() if task not in tasks}
        for condition, now in self._written().items():
            if condition in under_way:
                tell(condition, now)
        for task in tasks:
            run = self._runs.pop(task)
            model, finding = self._found(task, run)
            if run.keep_in:
                keep(model, self._experiment, run.condition, run.id, run.keep_in)
            yield run, finding

    def _written(self) -> dict[Condition, Progress]:
        """Return how far runs are; nothing where the board has been lost and is not there again yet."""
        try:
            written: dict[Condition, Progress] = self._ray.get(self._board.take.remote())
        except self._ray.exceptions.RayActorError:
            return {}
        return written

    def _found(self, task: Any, run: Run) -> tuple[Any, Finding]:
        try:
            found: tuple[Any, Finding] = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:  # the run's own
            raise error.cause from None
        except self._ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[0]
            raise FewshotError(
                f"{run.condition} was lost {BEGUN_AGAIN + 1} times ({reason}); the same command goes on"
            ) from None
        return found


@lru_cache(maxsize=1)
def _fetched(handed: Any) -> Handed:
    """Return what was handed over, which a process fetches once for all its runs."""
    found: Handed = import_module("ray").get(handed)
    return found


def work(handed: list[Any], run: Run, board: Any) -> tuple[Model | None, Finding]:
    """Carry out a run where Ray has placed it.

    Args:
        handed: the reference of `Handed`, alone.
        board: the actor that is told how far it is, see `Board`.

    Returns:
        The model, on the CPU, where it is to be kept; what was found.
    """
    torch.set_num_threads(1)
    experiment, pieces = _fetched(handed[0])
    told, where = 0.0, import_module("ray").util.get_node_ip_address()

    def tell(condition: Condition, now: Progress) -> None:
        nonlocal told
        if time.monotonic() - told >= TOLD_EVERY:
            told = time.monotonic()
            loss: Any = None if now.loss is None else now.loss.detach().cpu().clone()
            board.write.remote(condition, replace(now, loss=loss, doing=where))

    model, finding = carry_out(experiment, run, pieces, tell)
    return model.to(torch.device("cpu")) if run.keep_in else None, finding
