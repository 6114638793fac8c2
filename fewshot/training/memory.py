"""Memory that is free but kept: batches of many sizes leave gaps that glibc does not give back by itself."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

EVERY = 20
"""Updates between two calls of `give_back`."""


def give_back() -> None:
    """Give free memory back to the system, where it can be asked to (Linux with glibc); it takes milliseconds."""
    if trim := _trim():
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library, or Windows
        return None
