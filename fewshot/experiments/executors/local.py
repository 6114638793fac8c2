"""The processes of this machine.

A training on ten sentences is many small matrix products, on which two threads are far from twice as fast as one. So
each process has one thread, and n cores do n runs. What one finds depends on its run alone, not on which other runs
there are or who ends first.
"""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import torch

from fewshot.encoders.pieces import Pieces
from fewshot.errors import FewshotError
from fewshot.experiments.executors.base import Executor, Finding, Run, Tell, carry_out, keep
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.interrupts import interrupts_held_back
from fewshot.experiments.plan import Condition
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

    def executor(self, experiment: Experiment, runs: int) -> Executor:
        """Return what carries out that many runs of an experiment."""
        return InTurn(experiment) if self.at_once is None else Processes(experiment, min(self.at_once, runs))


class InTurn:
    """One run after the other in this process, with all its threads."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._pieces: Sequence[Sequence[Pieces]] | None = None
        self._run: Run | None = None

    def __enter__(self) -> Self:
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

    def begin(self, run: Run) -> None:
        """Keep it until `ended` is asked for."""
        self._run = run

    def ended(self, tell: Tell) -> Iterator[tuple[Run, Finding]]:
        """Carry out the run."""
        run, self._run = self._run, None
        if run is not None:
            if self._pieces is None:
                self._pieces = self._experiment.trainer.start.encode(self._experiment.corpus.test)
            yield run, _carried_out(self._experiment, run, self._pieces, tell)


class Processes:
    """Processes with one thread each, which share the weights of the source model: all map one file.

    Args:
        experiment: whose runs they do.
        jobs: how many processes; on several GPUs they take these in turn.
    """

    def __init__(self, experiment: Experiment, jobs: int) -> None:
        self._experiment, self._jobs = experiment, jobs
        self._processes: dict[Connection, BaseProcess] = {}
        self._runs: dict[Connection, Run] = {}

    def __enter__(self) -> Self:
        self._folder = TemporaryDirectory(prefix="fewshot-", ignore_cleanup_errors=True)  # until nobody maps its file
        with ExitStack() as unless_all_begin:
            unless_all_begin.push(self)
            handed = Path(self._folder.name) / "experiment.pt"
            torch.save(replace(self._experiment, name=str), handed)
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
        self._folder.cleanup()

    @property
    def free(self) -> int:
        """Processes that have no run."""
        return len(self._processes) - len(self._runs)

    @property
    def busy(self) -> bool:
        """Whether any has a run."""
        return bool(self._runs)

    def begin(self, run: Run) -> None:
        """Give a run to a process that has none."""
        connection = next(one for one in self._processes if one not in self._runs)
        self._runs[connection] = run
        with suppress(OSError):  # it has died, which `ended` finds
            connection.send(run)

    def ended(self, tell: Tell) -> Iterator[tuple[Run, Finding]]:
        """Pass on what the processes say, and yield the runs that end."""
        for connection in wait(list(self._runs)):
            assert isinstance(connection, Connection)
            run = self._runs[connection]
            try:
                said = connection.recv()
            except (EOFError, OSError):
                raise FewshotError(
                    f"the process of {run.condition} has died, perhaps for want of memory; "
                    "the same command goes on, with fewer --jobs if need be"
                ) from None
            if isinstance(said, Progress):
                tell(run.condition, said)
                continue
            del self._runs[connection]
            if isinstance(said, BaseException):
                raise said
            yield run, said


def _carried_out(experiment: Experiment, run: Run, pieces: Sequence[Sequence[Pieces]], tell: Tell) -> Finding:
    model, finding = carry_out(experiment, run, pieces, tell)
    if run.keep_in:
        keep(model, experiment, run.condition, run.id, run.keep_in)
    return finding


def _work(connection: Connection, handed: Path, number: int) -> None:
    """Carry out the runs that come, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it is not blocked: who stops the command ends this process
    torch.set_num_threads(1)
    with suppress(EOFError, OSError):  # that process has ended
        try:
            experiment = _on_its_device(torch.load(handed, mmap=True, weights_only=False), number)
            pieces = experiment.trainer.start.encode(experiment.corpus.test)
            while True:
                run: Run = connection.recv()
                connection.send(_carried_out(experiment, run, pieces, _Messages(connection)))
        except FewshotError as error:
            connection.send(error)
        except Exception:  # nobody else would see it
            connection.send(RuntimeError(traceback.format_exc()))


def _on_its_device(experiment: Experiment, number: int) -> Experiment:
    if experiment.trainer.device.type != "cuda":
        return experiment
    device = torch.device("cuda", number % torch.cuda.device_count())
    return replace(experiment, trainer=replace(experiment.trainer, device=device))


class _Messages:
    """Tells another process how far a run is, now and then."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._told = connection, 0.0

    def __call__(self, condition: Condition, now: Progress) -> None:
        if time.monotonic() - self._told >= TOLD_EVERY:
            self._told = time.monotonic()
            loss: Any = None if now.loss is None else now.loss.detach().cpu().clone()
            self._connection.send(replace(now, loss=loss))
