"""Limit the computing time of a search."""

from __future__ import annotations

import math
import time


class Deadline:
    """The end of a search; matches found before it are kept.

    Args:
        seconds: of computing time of this thread, from now; other threads and the database do not count.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = seconds
        self._ends = time.thread_time() + seconds

    @property
    def over(self) -> bool:
        """Whether the deadline has passed; then matches may be missing."""
        return self._ends < math.inf and time.thread_time() >= self._ends

    @property
    def left(self) -> float | None:
        """Remaining seconds, as ``timeout`` of `regex`; None without a limit."""
        return max(0.0, self._ends - time.thread_time()) if self._ends < math.inf else None

    def end(self) -> None:
        """Mark the deadline as passed: `regex` counts all threads' time, and may stop before this thread."""
        self._ends = -math.inf
