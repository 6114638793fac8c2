"""Start worker processes; on Linux they are forked from a server that has loaded the libraries.

A terminal sends Ctrl-C to all processes, but only the first one may react.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, get_context, resource_tracker
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess

LIBRARIES = ["fewshot.training.model"]
"""Modules that import what most workloads need; none of them starts CUDA, which a forked process could not use."""


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Delay Ctrl-C until the end; processes started meanwhile never receive the signal.

    A process inherits the blocked signals of the thread that starts it. Another thread of this process may still
    receive the signal.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock the signal
    received: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGINT, handler)
        if received:
            signal.raise_signal(signal.SIGINT)


def start_process(target: Callable[..., None], *arguments: object) -> BaseProcess:
    """Start a process that ends with this process and never receives Ctrl-C.

    On Linux processes are forked from a server. The server loads the libraries once and lives as long as this process:
    later processes start at once, and all share the memory of the libraries.

    Args:
        target: the function that the process calls with the arguments.
    """
    server = _fork_server()
    arguments = (dict(os.environ), target, *arguments)
    if server:
        process: BaseProcess = server.Process(target=_call, args=arguments, daemon=True)
        process.start()  # may wait for the server, so that Ctrl-C must be received
    else:
        process = get_context("spawn").Process(target=_call, args=arguments, daemon=True)
        with hold_interrupts():
            process.start()
    return process


def _fork_server() -> ForkServerContext | None:
    """Return the context of processes that the server forks, or None without a server.

    The server, and so each of them, has Ctrl-C blocked.
    """
    if sys.platform != "linux":
        return None
    context = get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    try:
        with hold_interrupts():
            forkserver.ensure_running()
    except OSError:  # the path of its socket in the temporary folder may be too long
        return None
    return context


def _call(environment: dict[str, str], target: Callable[..., None], *arguments: object) -> None:
    """Call the function with an environment, which may differ from that of the server."""
    os.environ.clear()
    os.environ.update(environment)
    target(*arguments)
