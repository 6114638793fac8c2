"""A Ray cluster's processes: those of several machines, or of the machines that a scheduler lends.

What runs share (source model, corpus, shots, the test set encoded) is put into Ray's object store once, from which each
machine fetches it once; on CPUs each of its processes keeps it, on GPUs a run has a process of its own. Findings come
back to the process that asked, which alone writes: machines need no common disk. A run whose machine is lost is begun
again on another; its number is the same, since it depends on its seed alone.
"""

from __future__ import annotations

import socket
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import Any, Generic, Self

import torch

from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Executor, F, R, Reports, Tell, Work
from fewshot.progress import Progress

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


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster that this process is connected to.

    Args:
        ray: the library.
        gpus_per_run: share of a GPU that a run takes; 0: it takes one core.
        bytes_per_run: memory that a run takes.
    """

    ray: Any
    gpus_per_run: float = 0.0
    bytes_per_run: int = 0

    def __str__(self) -> str:
        nodes = sum(node["Alive"] for node in self.ray.nodes())
        share = f"{self.gpus_per_run:g} of a GPU" if self.gpus_per_run else "a core"
        now = f"{self.at_once} at once" if self.at_once else "none yet: waits until the cluster grows"
        return f"{now}, {share} each, on {nodes} node{'' if nodes == 1 else 's'} of Ray"

    @property
    def at_once(self) -> int:
        """Runs that the machines which are there now take at once; a cluster may grow."""
        there = self.ray.cluster_resources()
        share = self.gpus_per_run
        if not share:
            most = there.get("CPU", 0)
        elif share > 1:
            most = there.get("GPU", 0) // share
        else:
            most = there.get("GPU", 0) * int(1 / share + 1e-9)  # of each, since a run is on one
        return int(min(most, there.get("memory", 0) / self.bytes_per_run if self.bytes_per_run else most))

    @property
    def machines(self) -> float:
        """GPUs that are at work, or machines; at least those of one run, for which a cluster grows."""
        if self.gpus_per_run:
            return max(1, self.at_once) * self.gpus_per_run
        return max(1.0, sum(node["Alive"] and node["Resources"].get("CPU", 0) > 0 for node in self.ray.nodes()))

    def executor(self, work: Work[R, F], runs: int) -> Executor[R, F]:
        """Return what carries out that many runs of some work."""
        return OnCluster(work, self)


@contextmanager
def connected(address: str, gpus_per_run: float = 0.0) -> Iterator[Cluster]:
    """Connect to a cluster, and leave it at the end.

    Args:
        address: ``auto``, the one that this machine belongs to; ``local``, a new one of this machine alone; or
            ``ray://HOST:10001``.
        gpus_per_run: see `Cluster`.

    Raises:
        FewshotError: when Ray is missing, no cluster is there, or the connection breaks.
    """
    try:
        ray = import_module("ray")
    except ImportError:
        raise FewshotError("Ray, which runs on clusters, is missing; pip install 'fewshot[ray]'") from None
    try:
        _knock(address)
        ray.init(address, log_to_driver=False, logging_level="error")
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise FewshotError(
            f"no Ray cluster at {address!r} ({_reason(error)}); start one by: ray start --head"
        ) from None
    try:
        yield Cluster(ray, gpus_per_run)
    except (ConnectionError, ray.exceptions.RayError) as error:
        raise FewshotError(f"the Ray cluster is lost ({_reason(error)}); the same command goes on") from None
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Connect to the port of an address that names one, once: where nobody answers, Ray itself tries for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWERS_WITHIN).close()


def _reason(error: Exception) -> str:
    """Return the first line of what an error says."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


class Board:
    """Where runs write how far they are; an actor, since they are on several machines."""

    def __init__(self) -> None:
        self._written: dict[Hashable, Progress] = {}

    def write(self, key: Hashable, now: Progress) -> None:
        """Write how far a run is."""
        self._written[key] = now

    def take(self) -> dict[Hashable, Progress]:
        """Return what was written since this was last asked for."""
        written, self._written = self._written, {}
        return written


class OnCluster(Generic[R, F]):
    """The runs of some work, each a task of Ray.

    Args:
        work: whose runs they are.
        cluster: that carries them out.
    """

    def __init__(self, work: Work[R, F], cluster: Cluster) -> None:
        self._work, self._ray = work, cluster.ray
        what = {"num_cpus": 0, "num_gpus": cluster.gpus_per_run} if cluster.gpus_per_run else {"num_cpus": 1}
        self._task = self._ray.remote(max_retries=BEGUN_AGAIN, memory=cluster.bytes_per_run or None, **what)(carry_out)
        self._runs: dict[Any, R] = {}

    def __enter__(self) -> Self:
        ray = self._ray
        self._handed = ray.put(self._work.prepared())
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

    def begin(self, run: R) -> None:
        """Hand a run over."""
        self._runs[self._task.remote([self._handed], run, self._board)] = run  # in a list Ray leaves it where it is

    def ended(self, tell: Tell) -> Iterator[tuple[R, F]]:
        """Look once, and yield the runs that have ended."""
        self._ray.wait(list(self._runs), timeout=LOOKED_EVERY)
        tasks, _ = self._ray.wait(list(self._runs), num_returns=len(self._runs), timeout=0)
        under_way = {self._runs[task].key for task in self._runs.keys() - set(tasks)}
        for key, now in self._written().items():
            if key in under_way:
                tell(key, now)
        failed: Exception | None = None
        for task in tasks:
            run = self._runs.pop(task)
            try:
                found = self._found(task, run)
            except Exception as error:  # those that ended well beside it are kept first
                failed = failed or error
                continue
            yield run, self._work.keep(run, found)
        if failed:
            raise failed

    def _written(self) -> dict[Hashable, Progress]:
        """Return how far runs are; nothing where the board has been lost and is not there again yet."""
        try:
            written: dict[Hashable, Progress] = self._ray.get(self._board.take.remote())
        except self._ray.exceptions.RayActorError:
            return {}
        return written

    def _found(self, task: Any, run: R) -> F:
        try:
            found: F = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:  # the run's own
            if isinstance(error.cause, FewshotError):
                raise error.cause from None
            raise RuntimeError(str(error)) from None  # with the traceback of where it was
        except self._ray.exceptions.RayError as error:
            raise FewshotError(f"{run.key} is lost ({_reason(error)}); the same command goes on") from None
        return found


@lru_cache(maxsize=1)
def _fetched(handed: Any) -> Work[Any, Any]:
    """Return what was handed over, which a process fetches once for all its runs."""
    found: Work[Any, Any] = import_module("ray").get(handed)
    return found


def carry_out(handed: list[Any], run: Any, board: Any) -> Any:
    """Return what a run finds where Ray has placed it.

    Args:
        handed: the reference of its work, alone.
        run: of that.
        board: the actor that is told how far it is, see `Board`.
    """
    torch.set_num_threads(1)
    work = _fetched(handed[0])
    where = import_module("ray").util.get_node_ip_address()

    def write(key: Hashable, now: Progress) -> None:
        board.write.remote(key, replace(now, doing=where))

    return work.carry_out(run, Reports(write, TOLD_EVERY))
