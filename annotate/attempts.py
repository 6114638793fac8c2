"""Limits on wrong passwords, for each name and address, over all windows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

FREE_TRIES = {"name": 5, "address": 30}
"""Tries without a wait, for a name and for an address, which a whole lab may share."""

FIRST_WAIT, MAX_WAIT = 10.0, 300.0
"""Seconds of the first wait, which doubles with each try, and of the longest."""

MAX_DOUBLINGS = 100
"""Doublings of the first wait that are computed: far more would be too large for a float."""

RESET_SECONDS = 3600.0
"""Seconds without a try after which the count restarts."""

MAX_KEYS = 10_000
"""Most names and addresses with counted tries."""

Key = tuple[str, str]


@dataclass(slots=True)
class _Tries:
    count: int
    last: float


class Attempts:
    """Counts the tries of all sessions of this process."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._tries: dict[Key, _Tries] = {}

    def wait(self, name: str, address: str | None) -> float:
        """Return the seconds until the next try; 0.0 permits one, counted as wrong until `succeed`."""
        keys = [("name", name), *([("address", address)] if address else [])]
        with self._lock:
            now = self._now()
            left = max(self._left(key, now) for key in keys)
            if left > 0:
                return left
            self._forget(now)
            for key in keys:
                self._tries[key] = _Tries(self._tries[key].count + 1 if key in self._tries else 1, now)
            return 0.0

    def succeed(self, name: str, address: str | None) -> None:
        """Reset the count of a name, and discount this try of its address, whose other tries still count."""
        with self._lock:
            self._tries.pop(("name", name), None)
            if address and (tries := self._tries.get(("address", address))):
                tries.count -= 1

    def _left(self, key: Key, now: float) -> float:
        tries = self._tries.get(key)
        if tries is None or tries.count < FREE_TRIES[key[0]] or now - tries.last > RESET_SECONDS:
            return 0.0
        doublings = min(tries.count - FREE_TRIES[key[0]], MAX_DOUBLINGS)
        return tries.last + min(FIRST_WAIT * 2.0**doublings, MAX_WAIT) - now

    def _forget(self, now: float) -> None:
        self._tries = {key: tries for key, tries in self._tries.items() if now - tries.last <= RESET_SECONDS}
        while len(self._tries) > MAX_KEYS:
            del self._tries[min(self._tries, key=lambda key: self._tries[key].last)]
