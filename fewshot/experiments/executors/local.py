"""The processes of this machine.

A training on ten sentences is many small matrix products, on which two threads are far from twice as fast as one. So
each process has one thread, and n cores do n runs. What one finds depends on its run alone, not on which other runs
there are or who ends first.
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
from fewshot.experiments.executors.base import Executor, F, R, Reports, Tell, Work
from fewshot.experiments.executors.handed import handed_over
from fewshot.experiments.interrupts import interrupts_held_back
from fewshot.progress import Progress

TOLD_EVERY = 0.5
"""Seconds between two messages of a process on how far its run is."""


@dataclass(frozen=True, slots=True)
class Local:
    """Processes of this machine.

    Args:
        at_once: how many; None: this one alone, with all threads.

    Raises:
        FewshotError: when there would be none.
    """

    at_once: int | None = None

    def __post_init__(self) -> None:
        if self.at_once is not None and self.at_once < 1:
            raise FewshotError(f"jobs is {self.at_once}; it must be at least 1, or None for this process alone")

    def __str__(self) -> str:
        return f"{self.at_once or 1} at once, {'a thread each' if self.at_once else 'with all threads'}"

    @property
    def machines(self) -> float:
        """One: this."""
        return 1.0

    def executor(self, work: Work[R, F], runs: int) -> Executor[R, F]:
        """Return what carries out that many runs of some work."""
        return InTurn(work) if self.at_once is None else Processes(work, min(self.at_once, runs))


class InTurn(Generic[R, F]):
    """One run after the other in this process, with all its threads."""

    def __init__(self, work: Work[R, F]) -> None:
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
        """Whether a run was begun."""
        return self._run is not None

    def begin(self, run: R) -> None:
        """Keep it until `ended` is asked for."""
        self._run = run

    def ended(self, tell: Tell) -> Iterator[tuple[R, F]]:
        """Carry out the run."""
        run, self._run = self._run, None
        if run is not None:
            yield run, self._work.keep(run, self._work.carry_out(run, tell))


class Processes(Generic[R, F]):
    """Processes with one thread each, which share the weights of models: all map one file.

    Args:
        work: whose runs they do.
        jobs: how many processes; on several GPUs they take these in turn.
    """

    def __init__(self, work: Work[R, F], jobs: int) -> None:
        self._work, self._jobs, self._file = work, jobs, ExitStack()
        self._processes: dict[Connection, BaseProcess] = {}
        self._runs: dict[Connection, R] = {}

    def __enter__(self) -> Self:
        with ExitStack() as unless_all_begin:
            unless_all_begin.push(self)
            handed = self._file.enter_context(handed_over(self._work.prepared()))
            for number in range(self._jobs):
                self._start(handed, number)
            unless_all_begin.pop_all()
        return self

    def _start(self, handed: Path, number: int) -> None:
        context = get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there, handed, number), daemon=True)
        with interrupts_held_back(), there:
            process.start()
            self._processes[here] = process

    def __exit__(self, *raised: object) -> None:
        for connection, process in self._processes.items():
            process.kill()  # what it has found is here; it may still be loading libraries
            connection.close()
        for process in self._processes.values():
            process.join()
        self._file.close()

    @property
    def free(self) -> int:
        """Processes that have no run."""
        return len(self._processes) - len(self._runs)

    @property
    def busy(self) -> bool:
        """Whether any has a run."""
        return bool(self._runs)

    def begin(self, run: R) -> None:
        """Give a run to a process that has none."""
        connection = next(one for one in self._processes if one not in self._runs)
        self._runs[connection] = run
        with suppress(OSError):  # it has died, which `ended` finds
            connection.send(run)

    def ended(self, tell: Tell) -> Iterator[tuple[R, F]]:
        """Pass on what the processes say, and yield the runs that end."""
        for connection in wait(list(self._runs)):
            assert isinstance(connection, Connection)
            run = self._runs[connection]
            try:
                said = connection.recv()
            except (EOFError, OSError):
                raise FewshotError(f"the process of {run.key} {self._why_it_ended(connection)}") from None
            if isinstance(said, Progress):
                tell(run.key, said)
                continue
            del self._runs[connection]
            if isinstance(said, BaseException):
                raise said
            yield run, said

    def _why_it_ended(self, connection: Connection) -> str:
        """Return why a process has ended by itself; one that has begun its work passes on all errors."""
        process = self._processes[connection]
        process.join(TOLD_EVERY)
        if (process.exitcode or 0) > 0:
            guard = 'if __name__ == "__main__":'
            return f"ended while it read the script that asks for several jobs; let the script ask below {guard}"
        return "has died, perhaps for want of memory; the same command goes on, with fewer --jobs if need be"


def _work(connection: Connection, handed: Path, number: int) -> None:
    """Carry out the runs that come, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it is not blocked: who stops the command ends this process
    torch.set_num_threads(1)
    tqdm.set_lock(threading.RLock())  # its own is one of processes, and would be called leaked when this one is killed
    with suppress(EOFError, OSError):  # that process has ended
        try:
            work = _on_its_device(torch.load(handed, mmap=True, weights_only=False), number)
            while True:
                run = connection.recv()
                reports = Reports(lambda key, now: connection.send(now), TOLD_EVERY)
                connection.send(work.keep(run, work.carry_out(run, reports)))
        except FewshotError as error:
            connection.send(error)
        except Exception:  # nobody else would see it
            connection.send(RuntimeError(traceback.format_exc()))


def _on_its_device(work: Work[R, F], number: int) -> Work[R, F]:
    if work.device.type != "cuda":
        return work
    return work.on(torch.device("cuda", number % torch.cuda.device_count()))
