"""How far a training is: one bar and one time for all of its experiments, which are rounds and the folds of each."""

from __future__ import annotations

from collections.abc import Sequence

from fewshot.experiments.experiment import Experiment
from fewshot.progress import Progress, Report


class JobProgress:
    """Counts the work of experiments that are carried out one after the other; each task is an equal part of it."""

    def __init__(self, report: Report, tasks: int = 1) -> None:
        self.report, self.tasks = report, tasks
        self.begun = 0
        self.done = self.kept = 0.0
        self._total = 1.0

    def begin_task(self, experiments: Sequence[Experiment]) -> None:
        """Say what is going to be done for the next task."""
        self.done = self.begun
        self.begun += 1
        self._total = float(sum(map(_work, experiments)))

    def during(self, title: str, experiment: Experiment) -> Report:
        """Return what is told of an experiment, and tells how far the job is.

        Args:
            experiment: one of those that `begin_task` was told of.
        """
        share = _work(experiment) / self._total
        done, kept = self.done, self.kept

        def say(now: Progress) -> None:
            self.done, self.kept = done + share * now.share, kept + share * now.kept / now.total
            self.report(Progress(self.done, self.tasks, f"{title}, {now.doing}", now.loss, self.kept))

        return say

    def say(self, doing: str) -> None:
        """Say what is done now, at the place reached."""
        self.report(Progress(self.done, self.tasks, doing, kept=self.kept))


def _work(experiment: Experiment) -> int:
    return sum(experiment.updates().values())
