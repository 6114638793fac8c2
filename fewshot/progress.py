"""Progress reports of long work: trainings, pretraining, analyses and jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


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


def format_duration(seconds: float) -> str:
    """Return a duration for users, for example ``41 s``, ``12 min`` or ``2.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
