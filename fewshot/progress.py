"""Progress reports of long work: trainings, pretraining, analyses and jobs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from torch import Tensor

MAX_NAMES = 3
"""Number of current runs that a progress line names."""

C = TypeVar("C", bound=Hashable)
"""Type of the keys of runs."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of some work.

    Args:
        done: finished steps, in the unit of the work (updates, sentences, runs).
        total: number of all steps; 0: unknown.
        doing: current activity for users: ``random k=10 set 1 seed 0``.
        loss: loss of the last update, on the device of the training; read it rarely, as reading makes a GPU wait. From
            another process a number.
        kept: the part of ``done`` from earlier sessions, which took no time in this one.
    """

    done: float
    total: float
    doing: str = ""
    loss: Tensor | float | None = None
    kept: float = 0.0

    @property
    def share(self) -> float:
        """The finished share, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


Report = Callable[[Progress], None]
"""Called with every progress; may raise an error to stop the work."""


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


def format_duration(seconds: float) -> str:
    """Return a duration for users, for example ``41 s``, ``12 min`` or ``2.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
