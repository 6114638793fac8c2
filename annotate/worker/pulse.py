"""The heartbeat of a job: that its worker lives, how far it is, and whether it is still wanted."""

from __future__ import annotations

import logging
import time
from threading import Event, Thread
from types import TracebackType
from typing import Protocol, Self

from annotate.store import Job, Store, StoreError

log = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds from beat to beat."""

EARLY = 3.0
"""Seconds of work from which on it is said how long the rest takes."""


class Report(Protocol):
    """What a job is given to say how far it is."""

    def __call__(self, progress: float, message: str, before: float = ...) -> None:
        """See `Pulse.report`."""


class Unwanted(Exception):  # noqa: N818
    """The job was cancelled, or given up for dead and taken by another worker; not an error."""


class Pulse:
    """Beats in a thread of its own while the ``with`` block runs.

    Args:
        store: where the job is kept.
        job: as it was claimed.
        every: seconds from beat to beat.
    """

    def __init__(self, store: Store, job: Job, every: float = EVERY) -> None:
        self.store, self.job, self.every = store, job, every
        self.progress, self.message = job.progress, job.message
        self._begun = time.monotonic()
        self._over, self._unwanted = Event(), Event()
        self._thread = Thread(target=self._run, name=f"pulse of job {job.id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def report(self, progress: float, message: str, before: float = 0.0) -> None:
        """Say how far the job is; the next beat stores it, with the time that the rest will take.

        Args:
            progress: 0 to 1, of the whole job.
            message: what it is doing, for people.
            before: part of the progress that took no time, since another worker had done it.

        Raises:
            Unwanted: when the job should stop.
        """
        if progress <= before:
            self._begun = time.monotonic()
        self.progress, self.message = progress, message + self._left(progress, progress - before)
        if self._unwanted.is_set():
            raise Unwanted

    def _left(self, progress: float, made: float) -> str:
        passed = time.monotonic() - self._begun
        if passed < EARLY or made < 0.01 or progress >= 1:
            return ""
        seconds = passed / made * (1 - progress)
        return f", {seconds:.0f} s left" if seconds < 100 else f", {seconds / 60:.0f} min left"

    def _run(self) -> None:
        while not self._over.wait(self.every):
            try:
                if not self.store.beat(self.job, progress=self.progress, message=self.message):
                    self._unwanted.set()
            except StoreError as error:  # the database may be back at the next beat
                log.warning("no heartbeat: %s", error)
