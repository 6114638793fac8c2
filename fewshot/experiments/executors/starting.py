"""Start worker processes; on Linux they are forked from a server that has loaded the libraries."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess

from fewshot.experiments.interrupts import hold_interrupts

LIBRARIES = ["fewshot.training.model"]
"""Modules that import what most workloads need; none of them starts CUDA, which a forked process could not use."""


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
