"""One progress bar for runs that are carried out at the same time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, TypeVar

from torch import Tensor

from fewshot.progress import Progress, Report

NAMED = 3
"""Runs under way that a progress line names."""

C = TypeVar("C", bound=Hashable)
"""What tells runs apart."""


class OverallProgress(Generic[C]):
    """Counts steps over all runs, so that one bar can show them, and names the first of those under way.

    Args:
        steps: how long each takes.
        name: what people call one.
        report: told of every step.
    """

    def __init__(self, steps: Mapping[C, int], name: Callable[[C], str], report: Report | None) -> None:
        self.steps, self.name = steps, name
        self.total = sum(steps.values())
        self.done = self.kept = 0
        self.under_way: dict[C, Progress] = {}
        self.report = report or (lambda progress: None)

    def tell(self, key: Any, now: Progress) -> None:
        """Tell how far the whole is, from how far one run is."""
        self.under_way[key] = now
        names = [self.name(each) + (f" on {at.doing}" if at.doing else "") for each, at in self.under_way.items()]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        self._say("; ".join(names[:NAMED]) + more, now.loss)

    def finish(self, key: C, anew: bool) -> None:
        """Count a run that was carried out, or was there already."""
        self.under_way.pop(key, None)
        self.done += self.steps[key]
        self.kept += 0 if anew else self.steps[key]
        self._say(self.name(key))

    def _say(self, doing: str, loss: Tensor | float | None = None) -> None:
        begun = sum(int(self.steps[each] * now.done // now.total) for each, now in self.under_way.items())
        self.report(Progress(self.done + begun, self.total, doing, loss, self.kept))
