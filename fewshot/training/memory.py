"""Memory that is free but kept: tensors of many sizes leave gaps that glibc does not give back by itself."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

SLACK = 400_000_000
"""Bytes by which a process may grow before it gives back what it does not use."""

HELD = Path("/proc/self/statm")
"""Where Linux says how many pages a process holds: its second number."""


class Ceiling:
    """Keeps a process from growing by what is free already: called often, it gives memory back when that is worth it.

    It does nothing where the system does not say what the process holds, or cannot take it back (Linux with glibc can).
    """

    def __init__(self) -> None:
        self.level = held()

    def __call__(self) -> None:
        """Give free memory back where the process has grown by `SLACK` since that was last done."""
        if held() > self.level + SLACK and (trim := _trim()):
            trim(0)
            self.level = held()


def held() -> int:
    """Return the bytes of physical memory that this process holds; 0 where the system does not say."""
    try:
        return int(HELD.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return None
