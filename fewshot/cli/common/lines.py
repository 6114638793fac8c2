"""Progress as lines of text, for log files and cluster jobs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fewshot.progress import Progress

FIRST_SECONDS, LINE_SECONDS = 10.0, 60.0
"""Seconds to the first line, and between lines."""


class ProgressLines:
    """Prints the progress and the estimated remaining time from time to time."""

    def __init__(self, doing: str, say: Callable[[str], None], clock: Callable[[], float]) -> None:
        self.doing, self.say, self.clock = doing, say, clock
        self.due = clock() + FIRST_SECONDS
        self.first: Progress | None = None
        self.started, self.last = 0.0, 0.0

    def __call__(self, now: Progress) -> None:
        """Record the progress and print a line if one is due; only then read the loss, which makes a GPU wait."""
        time = self.clock()
        if self.first is None or now.total != self.first.total or now.done < self.last:  # new work has begun
            self.first, self.started = now, time
        self.last = now.done
        if time >= self.due:
            self.due = time + LINE_SECONDS
            self.say(self._line(now, self.first, time - self.started))

    def _line(self, now: Progress, first: Progress, seconds: float) -> str:
        parts = [now.doing or self.doing]
        if now.done or now.total:
            parts.append(f"{now.done:.0f}/{now.total:.0f}" if now.total else f"{now.done:.0f}")
        if now.loss is not None:
            parts.append(f"loss {float(now.loss):.3f}")
        own = (now.done - now.kept) - (first.done - first.kept)
        if now.total and own > 0:
            parts.append(f"{timedelta(seconds=round(seconds * (now.total - now.done) / own))} left")
        return "  ".join(parts)
