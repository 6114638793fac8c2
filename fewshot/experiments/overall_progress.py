"""One progress bar for runs in parallel."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeVar

from torch import Tensor

from fewshot.progress import Progress, Report

MAX_NAMES = 3
"""Number of current runs that a progress line names."""

C = TypeVar("C", bound=Hashable)
"""Type of the keys of runs."""


class OverallProgress(Generic[C]):
    """The progress of several runs as one total, with the names of the current runs."""

    def __init__(self, steps: Mapping[C, int], name: Callable[[C], str], report: Report | None) -> None:
        self.steps, self.name = steps, name
        self.total = sum(steps.values())
        self.done = self.kept = 0
        self.current: dict[C, Progress] = {}
        self.report = report or (lambda progress: None)

    def update(self, key: Any, now: Progress) -> None:
        """Report the total progress, given the progress of one run."""
        self.current[key] = now
        names = [self.name(run) + (f" on {at.doing}" if at.doing else "") for run, at in self.current.items()]
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        self._report("; ".join(names[:MAX_NAMES]) + more, now.loss)

    def finish(self, key: C, is_new: bool) -> None:
        """Count a finished run.

        Args:
            is_new: False for a run whose result was stored already.
        """
        self.current.pop(key, None)
        self.done += self.steps[key]
        self.kept += 0 if is_new else self.steps[key]
        self._report(self.name(key))

    def _report(self, doing: str, loss: Tensor | float | None = None) -> None:
        begun = sum(int(self.steps[key] * now.done // now.total) for key, now in self.current.items())
        self.report(Progress(self.done + begun, self.total, doing, loss, self.kept))
