"""Executors of this machine.

A training on ten sentences consists of many small matrix products, on which two threads are far from twice as fast as
one. So n processes with one thread each use n cores. The output of a run does not depend on other runs or their order.
"""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Generic, Self

import torch
from tqdm import tqdm

from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Executor, F, R, RunReport, ThrottledReport, Workload
from fewshot.experiments.executors.workload_file import workload_file
from fewshot.experiments.interrupts import hold_interrupts
from fewshot.progress import Progress

REPORT_SECONDS = 0.5
"""Minimum seconds between two progress messages of a process."""


@dataclass(frozen=True, slots=True)
class Local:
    """Processes of this machine.

    Args:
        at_once: number of processes; None: this process, with all threads.

    Raises:
        FewshotError: when the number is below 1.
    """

    at_once: int | None = None

    def __post_init__(self) -> None:
        if self.at_once is not None and self.at_once < 1:
            raise FewshotError(f"jobs is {self.at_once}; it must be at least 1, or None for this process alone")

    def __str__(self) -> str:
        return f"{self.at_once or 1} at once, {'a thread each' if self.at_once else 'with all threads'}"

    @property
    def machines(self) -> float:
        """1: this machine."""
        return 1.0

    def executor(self, work: Workload[R, F], runs: int) -> Executor[R, F]:
        """Return an executor for a number of runs."""
        return InProcessExecutor(work) if self.at_once is None else ProcessExecutor(work, min(self.at_once, runs))


class InProcessExecutor(Generic[R, F]):
    """Carries out one run after the other in this process, with all threads."""

    def __init__(self, work: Workload[R, F]) -> None:
        self._work = work
        self._run: R | None = None

    def __enter__(self) -> Self:
        self._work = self._work.prepared()
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    @property
    def free(self) -> int:
        """1 or 0."""
        return int(not self.busy)

    @property
    def busy(self) -> bool:
        """Whether a run has begun."""
        return self._run is not None

    def begin(self, run: R) -> None:
        """Store a run until `ended` is called."""
        self._run = run

    def ended(self, tell: RunReport) -> Iterator[tuple[R, F]]:
        """Carry out the stored run."""
        run, self._run = self._run, None
        if run is not None:
            yield run, self._work.keep(run, self._work.carry_out(run, tell))


class ProcessExecutor(Generic[R, F]):
    """Carries out runs in processes with one thread each, which map the weights of models from one file.

    Args:
        jobs: number of processes; several GPUs are assigned to them in turn.
    """

    def __init__(self, work: Workload[R, F], jobs: int) -> None:
        self._work, self._jobs, self._file = work, jobs, ExitStack()
        self._processes: dict[Connection, BaseProcess] = {}
        self._runs: dict[Connection, R] = {}

    def __enter__(self) -> Self:
        with ExitStack() as on_error:
            on_error.push(self)
            path = self._file.enter_context(workload_file(self._work.prepared()))
            for number in range(self._jobs):
                self._start(path, number)
            on_error.pop_all()
        return self

    def _start(self, path: Path, number: int) -> None:
        context = get_context("spawn")
        connection, child_connection = context.Pipe()
        process = context.Process(target=_work, args=(child_connection, path, number), daemon=True)
        with hold_interrupts(), child_connection:
            process.start()
            self._processes[connection] = process

    def __exit__(self, *raised: object) -> None:
        for connection, process in self._processes.items():
            process.kill()  # all outputs have been received; the process may still be loading libraries
            connection.close()
        for process in self._processes.values():
            process.join()
        self._file.close()

    @property
    def free(self) -> int:
        """The number of processes without a run."""
        return len(self._processes) - len(self._runs)

    @property
    def busy(self) -> bool:
        """Whether any process has a run."""
        return bool(self._runs)

    def begin(self, run: R) -> None:
        """Send a run to a process that has none."""
        connection = next(idle for idle in self._processes if idle not in self._runs)
        self._runs[connection] = run
        with suppress(OSError):  # the process has died; `ended` raises the error
            connection.send(run)

    def ended(self, tell: RunReport) -> Iterator[tuple[R, F]]:
        """Pass on progress messages and yield the runs that end."""
        for connection in wait(list(self._runs)):
            assert isinstance(connection, Connection)
            run = self._runs[connection]
            try:
                message = connection.recv()
            except (EOFError, OSError):
                raise FewshotError(f"the process of {run.key} {self._why_it_ended(connection)}") from None
            if isinstance(message, Progress):
                tell(run.key, message)
                continue
            del self._runs[connection]
            if isinstance(message, BaseException):
                raise message
            yield run, message

    def _why_it_ended(self, connection: Connection) -> str:
        """Return why a process has ended; a process that has begun its work sends all errors itself."""
        process = self._processes[connection]
        process.join(REPORT_SECONDS)
        if (process.exitcode or 0) > 0:
            guard = 'if __name__ == "__main__":'
            return f"ended while importing the script that starts several jobs; move the call below {guard}"
        return "has died, perhaps for lack of memory; repeat the command to resume, with fewer --jobs if necessary"


def _work(connection: Connection, path: Path, number: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # in case Ctrl-C is not blocked; the command kills this process
    torch.set_num_threads(1)
    tqdm.set_lock(threading.RLock())  # the default lock would be reported as leaked when this process is killed
    with suppress(EOFError, OSError):  # the parent process has ended
        try:
            work = _on_its_device(torch.load(path, mmap=True, weights_only=False), number)
            while True:
                run = connection.recv()
                reports = ThrottledReport(lambda key, now: connection.send(now), REPORT_SECONDS)
                connection.send(work.keep(run, work.carry_out(run, reports)))
        except FewshotError as error:
            connection.send(error)
        except Exception:  # the parent process shows the traceback
            connection.send(RuntimeError(traceback.format_exc()))


def _on_its_device(work: Workload[R, F], number: int) -> Workload[R, F]:
    if work.device.type != "cuda":
        return work
    return work.to(torch.device("cuda", number % torch.cuda.device_count()))
