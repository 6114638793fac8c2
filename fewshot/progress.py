"""How far long work is: the one thing that trainings, pretraining, analyses and jobs say of themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is.

    Args:
        done: what is done, in whatever the work counts (updates, sentences, runs).
        total: all of it.
        doing: what is being done, for people: ``random k=10 set 1 seed 0``.
        loss: of the last update, on the device of the training: reading it makes a GPU wait, so read it rarely;
            a number where another process sent it.
        kept: the part of ``done`` that an earlier session did, which took no time in this one.
    """

    done: float
    total: float
    doing: str = ""
    loss: Tensor | float | None = None
    kept: float = 0.0

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


Report = Callable[[Progress], None]
"""Is told how far the work is, as often as it moves; may raise to stop it."""


def format_duration(seconds: float) -> str:
    """Return a span of time for people, for example ``41 s``, ``12 min`` or ``2.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
