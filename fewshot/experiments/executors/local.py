"""Executors of this machine.

A training on ten sentences consists of many small matrix products, on which two threads are far from twice as fast as
one. So n processes with one thread each use n cores. The output of a run does not depend on other runs or their order.
"""

from __future__ import annotations

import signal
import threading
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Generic, Self

import torch
from tqdm import tqdm

from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Executor, F, R, RunReport, ThrottledReport, Workload
from fewshot.experiments.executors.starting import start_process
from fewshot.experiments.executors.workload_file import workload_file
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

    @contextmanager
    def start(self, work: Workload[R, F], runs: int) -> Iterator[Executor[R, F]]:
        """Return a context manager of an executor, see `Workers`."""
        if self.at_once is None:
            yield partial(_carry_out_here, work.prepared())
        else:
            with Processes(work, min(self.at_once, runs)) as processes:
                yield processes.carry_out


def _carry_out_here(work: Workload[R, F], runs: deque[R], tell: RunReport) -> Iterator[tuple[R, F]]:
    while runs:
        run = runs.popleft()
        yield run, work.keep(run, work.carry_out(run, tell))


class Processes(Generic[R, F]):
    """Processes with one thread each, which map the weights of models from one file.

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
        connection, child_connection = Pipe()
        with child_connection:
            self._processes[connection] = start_process(_work, child_connection, path, number)

    def __exit__(self, *raised: object) -> None:
        for connection, process in self._processes.items():
            process.kill()  # all outputs have been received; the process may still be loading libraries
            connection.close()
        for process in self._processes.values():
            process.join()
        self._file.close()

    def carry_out(self, runs: deque[R], tell: RunReport) -> Iterator[tuple[R, F]]:
        """Carry out runs, see `Executor`."""
        while runs or self._runs:
            while runs and len(self._runs) < len(self._processes):
                self._begin(runs.popleft())
            failed: BaseException | None = None
            for connection in wait(list(self._runs)):
                assert isinstance(connection, Connection)
                message = self._receive(connection)
                if isinstance(message, Progress):
                    tell(self._runs[connection].key, message)
                elif isinstance(message, BaseException):
                    failed = failed or message  # raised after the outputs of other runs are kept
                else:
                    yield self._runs.pop(connection), message
            if failed:
                raise failed

    def _begin(self, run: R) -> None:
        """Send a run to a process that has none."""
        connection = next(idle for idle in self._processes if idle not in self._runs)
        self._runs[connection] = run
        with suppress(OSError):  # the process has died; `_receive` returns the error
            connection.send(run)

    def _receive(self, connection: Connection) -> Any:
        """Return the next progress, output or error of a process; an error if the process has died."""
        try:
            return connection.recv()
        except (EOFError, OSError):
            run = self._runs[connection]
            return FewshotError(f"the process of {run.key} {self._why_it_ended(connection)}")

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
