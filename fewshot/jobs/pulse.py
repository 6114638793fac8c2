"""The heartbeat of a job: that its worker lives, how far it is, and whether it is still wanted."""

from __future__ import annotations

import logging
from threading import Event, Thread
from types import TracebackType
from typing import Self

from annotate.store import Store, StoreError

log = logging.getLogger(__name__)

EVERY = 2.0
"""Seconds from beat to beat."""


class Unwanted(Exception):  # noqa: N818
    """The job was cancelled, or given up for dead; not an error."""


class Pulse:
    """Beats in a thread of its own while the ``with`` block runs.

    Args:
        store: where the job is kept.
        job_id: which.
        every: seconds from beat to beat.
    """

    def __init__(self, store: Store, job_id: int, every: float = EVERY) -> None:
        self.store, self.job_id, self.every = store, job_id, every
        self.progress, self.message = 0.0, ""
        self._over, self._unwanted = Event(), Event()
        self._thread = Thread(target=self._run, name=f"pulse of job {job_id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def report(self, progress: float, message: str) -> None:
        """Say how far the job is; the next beat stores it.

        Args:
            progress: 0 to 1.
            message: what it is doing, for people.

        Raises:
            Unwanted: when the job should stop.
        """
        self.progress, self.message = progress, message
        if self._unwanted.is_set():
            raise Unwanted

    def _run(self) -> None:
        while not self._over.wait(self.every):
            try:
                self.store.beat(self.job_id, progress=self.progress, message=self.message)
                if self.store.job(self.job_id).state != "running":
                    self._unwanted.set()
            except StoreError as error:  # the database may be back at the next beat
                log.warning("no heartbeat: %s", error)
