"""Return freed memory to the system: glibc keeps the gaps that tensors of many sizes leave."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

SLACK_BYTES = 400_000_000
"""Bytes by which a process may grow before it returns unused memory."""

STATM = Path("/proc/self/statm")
"""File where Linux gives the number of resident pages of a process, as the second number."""


class MemoryTrimmer:
    """Returns unused memory of this process to the system, on Linux with glibc."""

    def __init__(self) -> None:
        self.level = resident_bytes()

    def trim(self) -> None:
        """Return unused memory if the process has grown by `SLACK_BYTES` since the last time."""
        if resident_bytes() > self.level + SLACK_BYTES and (malloc_trim := _malloc_trim()):
            malloc_trim(0)
            self.level = resident_bytes()


def resident_bytes() -> int:
    """Return the bytes of physical memory of this process; 0 when the system does not tell."""
    try:
        return int(STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return None
