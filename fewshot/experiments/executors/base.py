"""Work that falls into runs which do not know of one another, and who carries it out."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol, Self, TypeVar

import torch

from fewshot.progress import Progress

Tell = Callable[[Hashable, Progress], None]
"""Is told the key of a run and how far the run is; what it is doing names the machine, where that is another one."""


class AnyRun(Protocol):
    """A part of some work."""

    @property
    def key(self) -> Hashable:
        """What tells it from the others; ``str`` says it to people."""


R = TypeVar("R", bound=AnyRun)
"""The runs of some work."""

F = TypeVar("F")
"""What each of them finds."""

R_contra = TypeVar("R_contra", bound=AnyRun, contravariant=True)
"""The same, where they are only taken."""

F_co = TypeVar("F_co", covariant=True)
"""The same, where they are only given."""


class Work(Protocol[R_contra, F]):
    """What its runs share; once prepared it goes to other processes and machines, by pickle."""

    @property
    def device(self) -> torch.device:
        """Where runs are computed."""

    @property
    def long_runs(self) -> int:
        """How many processes the runs are worth, which take some seconds to begin."""

    @property
    def process_bytes(self) -> float:
        """Memory that a process takes for it."""

    def prepared(self) -> Self:
        """Return it with all that is computed once for all runs, and nothing that cannot leave this process."""

    def on(self, device: torch.device) -> Self:
        """Return it with another device."""

    def carry_out(self, run: R_contra, tell: Tell) -> F:
        """Do a run.

        Args:
            run: one of its own.
            tell: called now and then.

        Raises:
            FewshotError: of the run.
        """

    def keep(self, run: R_contra, found: F) -> F:
        """Write what is to lie on the disk, where the folders of the command are, and return the rest."""


class Executor(Protocol[R, F_co]):
    """Carries out runs; a context that holds whatever that takes.

    A run that another process carries out gets the work once, `Work.prepared`, and on another machine with the device
    that is there (`Work.on`). The process has one thread, passes progress on by `Reports`, and hands over what it found
    or the error that it met. `Work.keep` is called where the folders of the command are: in a process of this machine,
    else in this one.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...

    @property
    def free(self) -> int:
        """How many more runs it takes now."""

    @property
    def busy(self) -> bool:
        """Whether it has runs that have not ended."""

    def begin(self, run: R) -> None:
        """Take a run; only while it is `free`."""

    def ended(self, tell: Tell) -> Iterator[tuple[R, F_co]]:
        """Wait until runs end, and yield them; only while it is `busy`.

        Raises:
            FewshotError: of a run, or where who carries it out has died.
        """


class Workers(Protocol):
    """Those who carry out work; ``str`` says who, for people."""

    @property
    def at_once(self) -> int | None:
        """Runs at once, each with one thread or its share of a GPU; None: one, with all threads of this process."""

    @property
    def machines(self) -> float:
        """Machines, or GPUs, that are paid for meanwhile."""

    def executor(self, work: Work[R, F], runs: int) -> Executor[R, F]:
        """Return what carries out that many runs of some work."""


class Reports:
    """Passes on how far a run is, at most once in some seconds, from the process that carries it out.

    Args:
        send: takes the key of a run and its progress, whose loss is a number.
        every: seconds between two messages.
        clock: returns seconds.
    """

    def __init__(self, send: Tell, every: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._send, self._every, self._clock, self._sent = send, every, clock, -math.inf

    def __call__(self, key: Hashable, now: Progress) -> None:
        """Pass a message on, unless the last one was a moment ago."""
        if self._clock() - self._sent >= self._every:
            self._sent = self._clock()
            loss = None if now.loss is None else float(now.loss)  # a tensor would be sent by a socket, below TMPDIR
            self._send(key, replace(now, loss=loss))


def carried_out(work: Work[R, F], runs: Sequence[R], workers: Workers, tell: Tell) -> Iterator[tuple[R, F]]:
    """Have runs carried out of which none waits for another, and yield each when it ends."""
    waiting = deque(runs)
    if not waiting:
        return
    with workers.executor(work, len(runs)) as executing:
        while waiting or executing.busy:
            while waiting and executing.free:
                executing.begin(waiting.popleft())
            yield from executing.ended(tell)
