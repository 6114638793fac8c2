"""Time of simultaneous questions, divided among them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock


class SharedTime:
    """Divides the time that passes evenly among the open questions, so that their shares add up to it.

    Args:
        now: a clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._open = 0
        self._last = now()
        self._passed = 0.0  # seconds of each open question

    @contextmanager
    def measured(self) -> Iterator[Callable[[], float]]:
        """Measure a question; yield a function that returns its share so far, in seconds."""
        start = self._change(1)
        try:
            yield lambda: self._change(0) - start
        finally:
            self._change(-1)

    def _change(self, by: int) -> float:
        with self._lock:
            now = self._now()
            self._passed += (now - self._last) / max(self._open, 1)
            self._last = now
            self._open += by
            return self._passed
