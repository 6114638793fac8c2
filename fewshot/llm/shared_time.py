"""Time of questions that are under way at once, of which each has its share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock


class SharedTime:
    """Divides the time that passes evenly among all that is under way, so that the shares add up to it.

    Args:
        now: a clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._under_way = 0
        self._last = now()
        self._passed = 0.0  # for each of those that are under way

    @contextmanager
    def measured(self) -> Iterator[Callable[[], float]]:
        """Be under way, and yield what returns the share so far, in seconds."""
        begun = self._change(1)
        try:
            yield lambda: self._change(0) - begun
        finally:
            self._change(-1)

    def _change(self, by: int) -> float:
        with self._lock:
            now = self._now()
            self._passed += (now - self._last) / max(self._under_way, 1)
            self._last = now
            self._under_way += by
            return self._passed
