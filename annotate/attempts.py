"""Wrong passwords of late: who tries many waits, for whatever name and from however many windows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

FREE = {"name": 5, "address": 30}
"""Tries without a wait: for one name, and from one address, behind which a whole lab may be."""

FIRST, LONGEST = 10.0, 300.0
"""Seconds of the first wait, and the most: it doubles with each try."""

FORGOTTEN = 3600.0
"""Seconds without a try after which nothing is held against a name or an address."""

KEPT = 10_000
"""Most names and addresses of which tries are counted."""

Key = tuple[str, str]


@dataclass(slots=True)
class _Tries:
    count: int
    last: float


class Attempts:
    """Counts tries of all sessions of this process.

    Args:
        now: a clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._tries: dict[Key, _Tries] = {}

    def wait(self, name: str, address: str | None) -> float:
        """Return for how many seconds no password is tried; 0.0 where one may be, which counts as wrong until `right`.

        Args:
            name: for which it would be tried, somebody's or not.
            address: from which; None where it is not known.
        """
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

    def right(self, name: str, address: str | None) -> None:
        """Hold nothing against a name whose password was given, nor this try against its address.

        What else the address has tried counts: it may still be trying other names.
        """
        with self._lock:
            self._tries.pop(("name", name), None)
            if address and (tries := self._tries.get(("address", address))):
                tries.count -= 1

    def _left(self, key: Key, now: float) -> float:
        tries = self._tries.get(key)
        if tries is None or tries.count < FREE[key[0]] or now - tries.last > FORGOTTEN:
            return 0.0
        return tries.last + min(FIRST * 2.0 ** (tries.count - FREE[key[0]]), LONGEST) - now

    def _forget(self, now: float) -> None:
        self._tries = {key: tries for key, tries in self._tries.items() if now - tries.last <= FORGOTTEN}
        while len(self._tries) > KEPT:
            del self._tries[min(self._tries, key=lambda key: self._tries[key].last)]
