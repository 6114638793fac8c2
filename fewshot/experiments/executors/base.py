"""Interfaces of executors: a workload consists of independent runs, which an executor carries out."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol, Self, TypeVar

import torch

from fewshot.progress import Progress

RunReport = Callable[[Hashable, Progress], None]
"""Called with the key and the progress of a run; ``doing`` names the machine if the run is remote."""


class Run(Protocol):
    """One part of a workload."""

    @property
    def key(self) -> Hashable:
        """The identifier of the run; ``str`` names it for users."""


R = TypeVar("R", bound=Run)
"""The type of runs."""

F = TypeVar("F")
"""The type of the output of a run."""

R_contra = TypeVar("R_contra", bound=Run, contravariant=True)
"""The type of runs as arguments."""


class Workload(Protocol[R_contra, F]):
    """What all runs share; the prepared workload is pickled to other processes and machines."""

    @property
    def device(self) -> torch.device:
        """The device of the runs."""

    @property
    def max_processes(self) -> int:
        """The number of processes that the runs justify, as a process takes some seconds to start."""

    @property
    def process_bytes(self) -> float:
        """Memory of one process, in bytes."""

    def prepared(self) -> Self:
        """Return a picklable copy with everything computed that all runs share."""

    def to(self, device: torch.device) -> Self:
        """Return a copy with another device."""

    def carry_out(self, run: R_contra, tell: RunReport) -> F:
        """Carry out one run and return its output.

        Raises:
            FewshotError: raised by the run.
        """

    def keep(self, run: R_contra, output: F) -> F:
        """Write files of an output to the disk of the command and return the rest of the output."""


Executor = Callable[[deque[R], RunReport], Iterator[tuple[R, F]]]
"""Takes runs from a queue and yields each with its output, in the order in which they end.

The caller may add runs to the queue whenever one has ended.

Other processes receive the workload (`Workload.prepared`) once, other machines with their own device (`Workload.to`).
Such a process has one thread, reports progress by `ThrottledReport`, and returns an output or an error. `Workload.keep`
is called on this machine: in the process of the run, or for remote runs in this process.

Raises:
    FewshotError: raised by a run, or when the process of a run has died.
"""


class Workers(Protocol):
    """A factory of executors; ``str`` describes the workers for users."""

    @property
    def at_once(self) -> int | None:
        """The number of parallel runs, each with one thread or a share of a GPU; None: one, with all threads."""

    @property
    def machines(self) -> float:
        """The number of machines or GPUs to pay for."""

    def start(self, work: Workload[R, F], runs: int) -> AbstractContextManager[Executor[R, F]]:
        """Return a context manager of an executor; whatever the executor has started ends with the context.

        Args:
            runs: most runs; no more processes are started.
        """


class ThrottledReport:
    """Sends the progress of a run to another process, at most once in some seconds.

    Args:
        send: takes the key of a run and its progress, with the loss as a number.
        every: minimum seconds between two messages.
    """

    def __init__(self, send: RunReport, every: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._send, self._every, self._clock, self._sent = send, every, clock, -math.inf

    def __call__(self, key: Hashable, now: Progress) -> None:
        """Send the progress unless the last message is too recent."""
        if self._clock() - self._sent >= self._every:
            self._sent = self._clock()
            loss = None if now.loss is None else float(now.loss)  # torch sends tensors by a socket file below TMPDIR
            self._send(key, replace(now, loss=loss))
