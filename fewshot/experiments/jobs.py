"""Jobs of studies and of zero-shot scoring, none of which waits for another: those without a stored result are done.

Runs of ``fewshot run`` wait for one another where models choose sentences; `fewshot.experiments.grid` orders them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import torch

from fewshot.experiments.executors.base import Tell, carried_out
from fewshot.experiments.executors.place import Place
from fewshot.experiments.machine import PROCESS_BYTES
from fewshot.experiments.overall_progress import OverallProgress
from fewshot.progress import Progress, Report

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """A part of the work.

    Args:
        name: for people; no two jobs have the same.
        key: of the result; two keys are equal exactly when nothing that decides the result differs.
        do: computes the result on a device, and reports how far it is. Processes get it by pickle.
        steps: length of the job, in a unit that all jobs share.
    """

    name: str
    key: str
    do: Callable[[torch.device, Report], T]
    steps: int = 1


def run_missing_jobs(
    jobs: Sequence[Job[T]],
    done: dict[str, T],
    keep: Callable[[Job[T], T], None],
    place: Place,
    report: Report,
    process_bytes: float = PROCESS_BYTES,
    first: Sequence[Job[Any]] = (),
) -> None:
    """Do the jobs that have no result yet, and add their results to those there are.

    Args:
        jobs: in the order in which they begin.
        done: results by key.
        keep: called with each new result before the job counts as done; writes the result to the disk.
        place: where the jobs are done.
        report: told when a job begins or ends.
        process_bytes: memory that a process takes for a job.
        first: jobs that must have ended before the others begin; nothing of theirs is kept.
    """
    progress = OverallProgress({job.name: job.steps for job in (*first, *jobs)}, str, report)
    for job in jobs:
        if job.key in done:
            progress.finish(job.name, anew=False)
    for job, _ in _carried_out(first, place, progress, process_bytes):
        progress.finish(job.name, anew=True)
    for job, result in _carried_out([job for job in jobs if job.key not in done], place, progress, process_bytes):
        keep(job, result)
        done[job.key] = result
        progress.finish(job.name, anew=True)


def _carried_out(
    jobs: Sequence[Job[T]], place: Place, progress: OverallProgress[str], process_bytes: float
) -> Iterator[tuple[Job[T], T]]:
    work = _Work([job.do for job in jobs], place.device, process_bytes)
    turns = [_Turn(job.name, number) for number, job in enumerate(jobs)]
    for turn, result in carried_out(work, turns, place.workers(work), progress.tell):
        yield jobs[turn.number], result


@dataclass(frozen=True, slots=True)
class _Turn:
    """What tells a process which job to do."""

    key: str
    number: int


@dataclass(frozen=True, slots=True)
class _Work(Generic[T]):
    """All jobs; what they share, such as an encoder, is handed to a process once, see `executors.base.Work`."""

    does: Sequence[Callable[[torch.device, Report], T]]
    device: torch.device
    process_bytes: float

    @property
    def long_runs(self) -> int:
        return len(self.does)

    def prepared(self) -> _Work[T]:
        return self

    def on(self, device: torch.device) -> _Work[T]:
        return replace(self, device=device)

    def carry_out(self, run: _Turn, tell: Tell) -> T:
        tell(run.key, Progress(0, 1))
        return self.does[run.number](self.device, partial(tell, run.key))

    def keep(self, run: _Turn, found: T) -> T:
        return found
