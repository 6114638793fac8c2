"""Executor on a Ray cluster of several machines.

The shared workload (source model, corpus, encoded test set) is stored once in Ray's object store, from which
each machine fetches it once. On CPUs each process keeps the workload; on GPUs each run has its own process. Only this
process writes outputs, so that the machines need no shared disk. A run whose machine is lost starts again on another
one; its score is the same, as it depends on the seed only.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import Any, Generic, Self

import torch

from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Executor, F, R, RunReport, ThrottledReport, Workload
from fewshot.progress import Progress

MAX_PENDING_RUNS = 1000
"""Maximum number of runs handed to Ray, enough to show how many machines they could use."""

MAX_RETRIES = 5
"""Maximum number of restarts of a run whose machine or process is lost."""

CONNECT_TIMEOUT = 10.0
"""Seconds to wait for the port of a cluster."""

POLL_SECONDS = 1.0
"""Seconds between two checks of the progress."""

REPORT_SECONDS = 5.0
"""Minimum seconds between two progress messages of a run."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A connected Ray cluster.

    Args:
        gpus_per_run: share of a GPU for each run; 0: one core.
    """

    ray: Any
    gpus_per_run: float = 0.0
    bytes_per_run: int = 0

    def __str__(self) -> str:
        nodes = sum(node["Alive"] for node in self.ray.nodes())
        share = f"{self.gpus_per_run:g} of a GPU" if self.gpus_per_run else "a core"
        now = f"{self.at_once} at once" if self.at_once else "none yet: waiting for the cluster to grow"
        return f"{now}, {share} each, on {nodes} node{'' if nodes == 1 else 's'} of Ray"

    @property
    def at_once(self) -> int:
        """The number of runs that the present machines can carry out in parallel; a cluster may grow."""
        resources = self.ray.cluster_resources()
        share = self.gpus_per_run
        if not share:
            most = resources.get("CPU", 0)
        elif share > 1:
            most = resources.get("GPU", 0) // share
        else:
            most = resources.get("GPU", 0) * int(1 / share + 1e-9)  # a run cannot span two GPUs
        return int(min(most, resources.get("memory", 0) / self.bytes_per_run if self.bytes_per_run else most))

    @property
    def machines(self) -> float:
        """The number of GPUs or machines in use; at least what one run needs, as a cluster grows for it."""
        if self.gpus_per_run:
            return max(1, self.at_once) * self.gpus_per_run
        return max(1.0, sum(node["Alive"] and node["Resources"].get("CPU", 0) > 0 for node in self.ray.nodes()))

    @contextmanager
    def start(self, work: Workload[R, F], runs: int) -> Iterator[Executor[R, F]]:
        """Return a context manager of an executor, which hands runs to Ray."""
        with RayTasks(work, self) as ray_tasks:
            yield ray_tasks.carry_out


@contextmanager
def connect_to_ray(address: str, gpus_per_run: float = 0.0) -> Iterator[Cluster]:
    """Connect to a cluster and disconnect at the end.

    Args:
        address: ``auto``: the cluster of this machine; ``local``: a new one on this machine; or ``ray://HOST:10001``.

    Raises:
        FewshotError: when Ray is not installed, no cluster is found, or the connection breaks.
    """
    try:
        ray = import_module("ray")
    except ImportError:
        raise FewshotError("--ray needs the library Ray; install it by: pip install 'fewshot[ray]'") from None
    try:
        _check_port(address)
        ray.init(address, log_to_driver=False, logging_level="error")
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        raise FewshotError(
            f"no Ray cluster at {address!r} ({_reason(error)}); start one by: ray start --head"
        ) from None
    try:
        yield Cluster(ray, gpus_per_run)
    except (ConnectionError, ray.exceptions.RayError) as error:
        raise FewshotError(f"lost the Ray cluster ({_reason(error)}); repeat the command to resume") from None
    finally:
        ray.shutdown()


def _check_port(address: str) -> None:
    """Connect once to the port in an address, if any; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_TIMEOUT).close()


def _reason(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


class ProgressBoard:
    """A Ray actor that collects the progress of runs on several machines."""

    def __init__(self) -> None:
        self._written: dict[Hashable, Progress] = {}

    def write(self, key: Hashable, now: Progress) -> None:
        """Store the progress of a run."""
        self._written[key] = now

    def take(self) -> dict[Hashable, Progress]:
        """Return the progress stored since the last call."""
        written, self._written = self._written, {}
        return written


class RayTasks(Generic[R, F]):
    """Runs as tasks of Ray."""

    def __init__(self, work: Workload[R, F], cluster: Cluster) -> None:
        self._work, self._ray = work, cluster.ray
        needs = {"num_cpus": 0, "num_gpus": cluster.gpus_per_run} if cluster.gpus_per_run else {"num_cpus": 1}
        self._task = self._ray.remote(max_retries=MAX_RETRIES, memory=cluster.bytes_per_run or None, **needs)(carry_out)
        self._runs: dict[Any, R] = {}

    def __enter__(self) -> Self:
        ray = self._ray
        self._reference = ray.put(self._work.prepared())
        this_node = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=True
        )
        self._board = ray.remote(num_cpus=0, max_restarts=-1, scheduling_strategy=this_node)(ProgressBoard).remote()
        return self

    def __exit__(self, *raised: object) -> None:
        for task in self._runs:
            self._ray.cancel(task, force=True)
        self._ray.kill(self._board)

    def carry_out(self, runs: deque[R], tell: RunReport) -> Iterator[tuple[R, F]]:
        """Carry out runs, see `Executor`."""
        while runs or self._runs:
            while runs and len(self._runs) < MAX_PENDING_RUNS:
                run = runs.popleft()
                task = self._task.remote([self._reference], run, self._board)  # Ray would copy a bare reference
                self._runs[task] = run
            yield from self._ended(tell)

    def _ended(self, tell: RunReport) -> Iterator[tuple[R, F]]:
        """Check once, pass progress on, and yield the runs that have ended."""
        self._ray.wait(list(self._runs), timeout=POLL_SECONDS)
        tasks, _ = self._ray.wait(list(self._runs), num_returns=len(self._runs), timeout=0)
        under_way = {self._runs[task].key for task in self._runs.keys() - set(tasks)}
        for key, now in self._written().items():
            if key in under_way:
                tell(key, now)
        failed: Exception | None = None
        for task in tasks:
            run = self._runs.pop(task)
            try:
                output = self._output(task, run)
            except Exception as error:  # raised after the outputs of other runs are kept
                failed = failed or error
                continue
            yield run, self._work.keep(run, output)
        if failed:
            raise failed

    def _written(self) -> dict[Hashable, Progress]:
        """Return the progress of runs; empty while Ray restarts a lost board."""
        try:
            written: dict[Hashable, Progress] = self._ray.get(self._board.take.remote())
        except self._ray.exceptions.RayActorError:
            return {}
        return written

    def _output(self, task: Any, run: R) -> F:
        try:
            output: F = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:  # raised by the run
            if isinstance(error.cause, FewshotError):
                raise error.cause from None
            raise RuntimeError(str(error)) from None  # the text contains the remote traceback
        except self._ray.exceptions.RayError as error:
            raise FewshotError(f"lost {run.key} ({_reason(error)}); repeat the command to resume") from None
        return output


@lru_cache(maxsize=1)
def _fetch(reference: Any) -> Workload[Any, Any]:
    """Return a workload, which a process fetches once for all its runs."""
    work: Workload[Any, Any] = import_module("ray").get(reference)
    return work


def carry_out(references: list[Any], run: Any, board: Any) -> Any:
    """Return the output of a run on the machine where Ray placed it.

    Args:
        references: a list of one reference to the workload.
        board: the actor that collects progress, see `ProgressBoard`.
    """
    torch.set_num_threads(1)
    work = _fetch(references[0])
    node = import_module("ray").util.get_node_ip_address()

    def write(key: Hashable, now: Progress) -> None:
        board.write.remote(key, replace(now, doing=node))

    return work.carry_out(run, ThrottledReport(write, REPORT_SECONDS))
