"""The progress of a training job over all of its experiments: rounds and the folds of each."""

from __future__ import annotations

from collections.abc import Sequence

from fewshot.experiments.experiment import Experiment
from fewshot.progress import Progress, Report


class JobProgress:
    """Adds up the progress of experiments that run one after the other; tasks have equal shares."""

    def __init__(self, report: Report, tasks: int = 1) -> None:
        self.report, self.tasks = report, tasks
        self.begun = 0
        self.done = self.kept = 0.0
        self._total = 1.0

    def begin_task(self, experiments: Sequence[Experiment]) -> None:
        """Start the next task, which consists of these experiments."""
        self.done = self.begun
        self.begun += 1
        self._total = float(sum(map(_work, experiments)))

    def during(self, title: str, experiment: Experiment) -> Report:
        """Return a callback that takes the progress of one experiment and reports that of the job."""
        share = _work(experiment) / self._total
        done, kept = self.done, self.kept

        def say(now: Progress) -> None:
            self.done, self.kept = done + share * now.share, kept + share * now.kept / now.total
            self.report(Progress(self.done, self.tasks, f"{title}, {now.doing}", now.loss, self.kept))

        return say

    def say(self, doing: str) -> None:
        """Report a new step without further progress."""
        self.report(Progress(self.done, self.tasks, doing, kept=self.kept))


def _work(experiment: Experiment) -> int:
    return sum(experiment.updates().values())
