"""The heartbeat of a job: that its worker lives, how far it is, and whether it is still wanted."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import Self

from annotate.store import Job, Store, StoreError
from fewshot.progress import Progress

log = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds from beat to beat."""

EARLY = 3.0
"""Seconds of work from which on it is said how long the rest takes."""


class Unwanted(Exception):  # noqa: N818
    """The job was cancelled, or given up for dead and taken by another worker; not an error."""


class GaveWay(Exception):  # noqa: N818
    """The job is to go on after others that wait; not an error."""


class Heartbeat:
    """Beats in a thread of its own while the ``with`` block runs.

    Args:
        every: seconds from beat to beat.
        clock: returns seconds; by it the time that is left is computed.
    """

    def __init__(
        self, store: Store, job: Job, every: float = EVERY, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.store, self.job, self.every, self._clock = store, job, every, clock
        self.progress, self.message = job.progress, job.message
        self._begun, self._read, self._shown = self._clock(), 0.0, ""
        self._over, self._unwanted = Event(), Event()
        self._thread = Thread(target=self._run, name=f"heartbeat of job {job.id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def report(self, now: Progress) -> None:
        """Say how far the job is; the next beat stores it, with the loss and the time that the rest will take.

        Raises:
            Unwanted: when the job should stop.
        """
        if now.done - now.kept < 1e-9 * now.total:  # nothing was made yet: shares of what was there do not add up
            self._begun = self._clock()
        self.progress, self.message = now.share, now.doing + self._loss(now) + self._left(now)
        if self._unwanted.is_set():
            raise Unwanted

    def _loss(self, now: Progress) -> str:
        """Return the loss, which is read once a beat: a GPU waits each time."""
        if now.loss is None:
            self._shown = ""
        elif self._clock() - self._read > self.every:
            self._read, self._shown = self._clock(), f", loss {float(now.loss):.3f}"
        return self._shown

    def _left(self, now: Progress) -> str:
        passed, made = self._clock() - self._begun, (now.done - now.kept) / now.total
        if passed < EARLY or made < 0.01 or now.share >= 1:
            return ""
        seconds = passed / made * (1 - now.share)
        return f", {seconds:.0f} s left" if seconds < 100 else f", {seconds / 60:.0f} min left"

    def _run(self) -> None:
        while not self._over.wait(self.every):
            try:
                if not self.store.beat(self.job, progress=self.progress, message=self.message):
                    self._unwanted.set()
            except StoreError as error:  # the database may be back at the next beat
                log.warning("no heartbeat: %s", error)
