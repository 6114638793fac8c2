"""The heartbeat of a running job: it stores the progress and notices a cancellation."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread

from annotate.store import Job, Store, StoreError
from fewshot.progress import Progress

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 1.0
"""Seconds between two heartbeats."""

MIN_ELAPSED_SECONDS = 3.0
"""Seconds of work before the remaining time is estimated."""


class JobCancelled(Exception):  # noqa: N818
    """The job was cancelled or reassigned to another worker; not an error."""


class JobPostponed(Exception):  # noqa: N818
    """The job is put back so that waiting jobs run first; not an error."""


@contextmanager
def beating(beat: Callable[[], None], every: float) -> Iterator[None]:
    """Call `beat` from a thread every so many seconds while the block runs."""
    over = Event()

    def run() -> None:
        while not over.wait(every):
            try:
                beat()
            except StoreError as error:  # the database may be back at the next beat
                log.warning("no heartbeat: %s", error)

    thread = Thread(target=run, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class Heartbeat:
    """Stores the progress of a job with each heartbeat; `every` is in seconds."""

    def __init__(
        self, store: Store, job: Job, every: float = HEARTBEAT_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.store, self.job, self.every, self._clock = store, job, every, clock
        self.progress, self.message = job.progress, job.message
        self._started, self._read, self._shown = self._clock(), 0.0, ""
        self._cancelled = Event()

    def running(self) -> AbstractContextManager[None]:
        """Return a context in which heartbeats are sent."""
        return beating(self._beat, self.every)

    def report(self, now: Progress) -> None:
        """Set the progress that the next heartbeat stores; raises `JobCancelled` if the job should stop."""
        if now.done - now.kept < 1e-9 * now.total:  # nothing is computed yet: start the clock late
            self._started = self._clock()
        self.progress, self.message = now.share, now.doing + self._loss(now) + self._time_left(now)
        if self._cancelled.is_set():
            raise JobCancelled

    def _loss(self, now: Progress) -> str:
        """Return the loss, read at most once per heartbeat, since reading it blocks on a GPU."""
        if now.loss is None:
            self._shown = ""
        elif self._clock() - self._read > self.every:
            self._read, self._shown = self._clock(), f", loss {float(now.loss):.3f}"
        return self._shown

    def _time_left(self, now: Progress) -> str:
        passed, made = self._clock() - self._started, (now.done - now.kept) / now.total
        if passed < MIN_ELAPSED_SECONDS or made < 0.01 or now.share >= 1:
            return ""
        seconds = passed / made * (1 - now.share)
        return f", {seconds:.0f} s left" if seconds < 100 else f", {seconds / 60:.0f} min left"

    def _beat(self) -> None:
        if not self.store.beat(self.job, progress=self.progress, message=self.message):
            self._cancelled.set()
