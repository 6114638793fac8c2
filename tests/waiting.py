"""Waiting for a state, for tests that have no event to wait for."""

import inspect
import threading
import time

POLL_SECONDS = 0.02


def wait_until(condition, seconds=200):
    """Return the first true value of `condition()`; raise AssertionError after the deadline.

    Args:
        condition: called again and again, without arguments.
        seconds: the deadline; generous, since it only ends a test that fails.
    """
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {described(condition)}")
        pause.wait(POLL_SECONDS)
    return value


def described(condition):
    """Return the source of a condition, or its name where there is no source."""
    try:
        return " ".join(inspect.getsource(condition).split())
    except (OSError, TypeError):
        return getattr(condition, "__qualname__", repr(condition))
