"""Independent jobs of studies and of zero-shot scoring; jobs with a stored result are skipped.

Cells of ``fewshot run`` depend on one another where models choose shots: see `fewshot.experiments.run`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar

import torch

from fewshot.experiments.executors.base import RunReport
from fewshot.experiments.executors.place import PROCESS_BYTES, Place
from fewshot.progress import OverallProgress, Progress, Report

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StudyJob(Generic[T]):
    """One independent part of a study.

    Args:
        key: identifies the result: equal exactly when everything that decides the result is equal.
        do: computes the result on a device and reports progress; must be picklable.
        steps: length of the job, in a unit that all jobs share.
    """

    name: str
    key: str
    do: Callable[[torch.device, Report], T]
    steps: int = 1


def run_missing_jobs(
    jobs: Sequence[StudyJob[T]],
    done: dict[str, T],
    keep: Callable[[StudyJob[T], T], None],
    place: Place,
    report: Report,
    process_bytes: float = PROCESS_BYTES,
    first: Sequence[StudyJob[Any]] = (),
) -> None:
    """Run the jobs that have no result and add their results to ``done``.

    Args:
        keep: writes a new result to the disk, before the job counts as done.
        report: called when a job begins or ends.
        first: jobs that must end before the others begin; their results are discarded.
    """
    progress = OverallProgress({job.name: job.steps for job in (*first, *jobs)}, str, report)
    for job in jobs:
        if job.key in done:
            progress.finish(job.name, is_new=False)
    for job, _ in _carried_out(first, place, progress, process_bytes):
        progress.finish(job.name, is_new=True)
    for job, result in _carried_out([job for job in jobs if job.key not in done], place, progress, process_bytes):
        keep(job, result)
        done[job.key] = result
        progress.finish(job.name, is_new=True)


def _carried_out(
    jobs: Sequence[StudyJob[T]], place: Place, progress: OverallProgress[str], process_bytes: float
) -> Iterator[tuple[StudyJob[T], T]]:
    work = _Work([job.do for job in jobs], place.device, process_bytes)
    turns = [_Turn(job.name, number) for number, job in enumerate(jobs)]
    if turns:
        with place.workers(work).start(work, len(turns)) as carry_out:
            for turn, result in carry_out(deque(turns), progress.update):
                yield jobs[turn.number], result


@dataclass(frozen=True, slots=True)
class _Turn:
    """The number of a job, sent to the process that is to do the job."""

    key: str
    number: int


@dataclass(frozen=True, slots=True)
class _Work(Generic[T]):
    """All jobs; shared objects such as an encoder are pickled once, see `executors.base.Workload`."""

    does: Sequence[Callable[[torch.device, Report], T]]
    device: torch.device
    process_bytes: float

    @property
    def max_processes(self) -> int:
        return len(self.does)

    def prepared(self) -> _Work[T]:
        return self

    def to(self, device: torch.device) -> _Work[T]:
        return replace(self, device=device)

    def carry_out(self, run: _Turn, tell: RunReport) -> T:
        tell(run.key, Progress(0, 1))
        return self.does[run.number](self.device, partial(tell, run.key))

    def keep(self, run: _Turn, result: T) -> T:
        return result
