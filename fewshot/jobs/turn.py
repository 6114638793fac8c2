"""Whose turn it is on a machine: the jobs that the app starts there compute one after the other, the oldest first.

Each waits in a process of its own, which is small until it computes. Who computes holds a lock on a file, which the
kernel releases when the process dies. ``fewshot worker`` takes no part: whoever starts workers says how many compute.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from annotate import jobs
from annotate.store import Job, Store

EVERY = 1.0
"""Seconds after which a process that waits looks again, and says that it is there."""

BUSY = "waiting until this machine is done with something else"


@contextmanager
def turn(store: Store, job_id: int) -> Iterator[bool]:
    """Wait until it is the turn of a job, and let nothing else compute on this machine while the block runs.

    Args:
        store: where the job is kept.
        job_id: which.

    Yields:
        Whether it is: else the job is not queued any more.
    """
    lock = FileLock(jobs.folder() / ".computing")
    try:
        yield _wait(store, job_id, lock)
    finally:
        lock.release()


def _wait(store: Store, job_id: int, lock: FileLock) -> bool:
    message = ""
    while (job := store.job(job_id)).state == "queued":
        store.beat(job, job.progress, message or job.message)
        if _first(store, job):
            try:
                lock.acquire(timeout=EVERY, poll_interval=0.1)
                return True
            except Timeout:
                message = BUSY
        else:
            time.sleep(EVERY)
    return False


def _first(store: Store, job: Job) -> bool:
    """Return whether no older job waits in a process of its own; what waits for ``fewshot worker`` does not count."""
    older = [other for other in store.unfinished_jobs() if other.state == "queued" and other.id < job.id]
    return not any(other.heartbeat and not jobs.stale(other) for other in older)
