"""When a search ends that would keep everybody waiting."""

from __future__ import annotations

import math
import time


class Deadline:
    """The end of a search, which keeps what it has found by then.

    Args:
        seconds: from now, in which this thread computes; what others do, or the database, does not count.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = seconds
        self._ends = time.thread_time() + seconds

    @property
    def over(self) -> bool:
        """Whether it has come; then what was found may not be all."""
        return self._ends < math.inf and time.thread_time() >= self._ends

    @property
    def left(self) -> float | None:
        """Seconds, as `regex` takes its ``timeout``: None for no end."""
        return max(0.0, self._ends - time.thread_time()) if self._ends < math.inf else None

    def end(self) -> None:
        """Let it have come: `regex` counts what all threads compute, and may run out of time before this one."""
        self._ends = -math.inf
