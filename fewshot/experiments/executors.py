"""Who carries out the runs of an experiment: this process, one after the other, or several processes, one each.

A training on ten sentences is many small matrix products, on which two threads are far from twice as fast as one. So
each process has one thread, and n cores do n runs. What one finds depends on its run alone, not on which other runs
there are or who ends first.
"""

from __future__ import annotations

import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, Self

import torch

from fewshot.curves.results import Result
from fewshot.encoders.pieces import Pieces
from fewshot.errors import FewshotError
from fewshot.evaluation import Evaluation
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.interrupts import interrupts_held_back
from fewshot.experiments.plan import Condition
from fewshot.progress import Progress
from fewshot.training.model import Model

TOLD_EVERY = 0.5
"""Seconds between two messages of a process on how far its run is."""


@dataclass(frozen=True, slots=True)
class Run:
    """One condition to carry out.

    Args:
        condition: what is trained.
        id: see `fewshot.experiments.plan.run_id`.
        keep_in: folder that takes the model; None where it is not kept.
        before: results of the rounds before it, which say what their models have chosen.
    """

    condition: Condition
    id: str
    keep_in: Path | None
    before: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a run has found.

    Args:
        evaluation: of its model on the test set.
        seconds: of training and evaluation.
        chosen: ids of the shots that its model chose for the next round.
    """

    evaluation: Evaluation
    seconds: float
    chosen: tuple[str, ...]


Tell = Callable[[Condition, Progress], None]
"""Is told how far a run is."""


class Executor(Protocol):
    """Carries out runs; a context that holds whatever that takes."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...

    @property
    def free(self) -> int:
        """How many more runs it takes now."""

    @property
    def busy(self) -> bool:
        """Whether it has runs that have not ended."""

    def begin(self, run: Run) -> None:
        """Take a run; only while it is `free`."""

    def ended(self, tell: Tell) -> Iterator[tuple[Run, Finding]]:
        """Wait until runs end, and yield them.

        Raises:
            FewshotError: of a run, or where a process has died.
        """


def executor(experiment: Experiment, jobs: int | None) -> Executor:
    """Return what carries out the runs of an experiment.

    Args:
        jobs: processes; None: this one, with all threads.
    """
    return InTurn(experiment) if jobs is None else Processes(experiment, jobs)


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
            yield run, _carry_out(self._experiment, run, self._pieces, tell)


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


def _carry_out(experiment: Experiment, run: Run, pieces: Sequence[Sequence[Pieces]], tell: Tell) -> Finding:
    trainer, condition, shots = experiment.trainer, run.condition, experiment.shots
    started = time.perf_counter()
    model, evaluation = trainer.train_and_score(
        shots.of(condition), experiment.corpus.test, condition.seed, lambda now: tell(condition, now), pieces
    )
    seconds = time.perf_counter() - started
    chosen = tuple(shot.id for shot in shots.choose(condition, model))
    if run.keep_in:
        keep(model, experiment, condition, run.id, run.keep_in)
    return Finding(evaluation, seconds, chosen)


def keep(model: Model, experiment: Experiment, condition: Condition, run: str, folder: Path) -> None:
    """Save the model of a run, which then says how its shots were drawn."""
    draw = {"sampler": condition.sampler, "shot_set": condition.shot_set, "rounds": list(condition.rounds)}
    where = {"lang": experiment.trainer.lang, "data": experiment.corpus.source}
    model.provenance = {"run": run, **where, **draw, **model.provenance}
    model.save(folder)


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
                experiment.shots.recall(run.before)
                connection.send(_carry_out(experiment, run, pieces, _Messages(connection)))
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
