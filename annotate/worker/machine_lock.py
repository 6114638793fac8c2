"""Whose turn it is on a machine: the jobs that the app starts there compute one after the other, in the store's order.

Each waits in a process of its own, which is small until it computes. Who computes holds a lock on a file, which the
kernel releases when the process dies. ``fewshot worker`` takes no part: whoever starts workers says how many compute.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import takewhile

from filelock import FileLock, Timeout

from annotate.store import Job, Store, StoreError
from annotate.worker import queue

log = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds after which a process that waits looks again, and says that it is there."""

BUSY = "waiting until this machine is done with something else"


@contextmanager
def machine_lock(
    store: Store, job_id: int, every: float = EVERY, sleep: Callable[[float], None] = time.sleep
) -> Iterator[bool]:
    """Wait until it is the turn of a job, and let nothing else compute on this machine while the block runs.

    Args:
        every: seconds from look to look.
        sleep: waits so many seconds.

    Yields:
        Whether it is: else the job is not queued any more.
    """
    lock = FileLock(queue.folder() / ".computing")
    try:
        yield _wait(store, job_id, lock, every, sleep)
    finally:
        lock.release()


def _wait(store: Store, job_id: int, lock: FileLock, every: float, sleep: Callable[[float], None]) -> bool:
    message = ""
    while True:
        try:
            waiting = [job for job in store.unfinished_jobs() if job.state == "queued"]
            job = next((job for job in waiting if job.id == job_id), None)
            if job is None:
                return False
            store.beat(job, job.progress, message or job.message, socket.gethostname())
            if _first(waiting, job, store.clock()):
                lock.acquire(timeout=every, poll_interval=0.1)
                return True
        except Timeout:
            message = BUSY
            continue
        except StoreError as error:  # a database that restarts does not end who waits
            log.warning("%s", error)
        sleep(every)


def _first(waiting: Sequence[Job], job: Job, now: datetime) -> bool:
    """Return whether none before it waits in a process of its own on this machine; what a worker is to do has none."""
    before = takewhile(lambda other: other.id != job.id, waiting)
    here = [other for other in before if other.host == socket.gethostname()]
    return not any(other.heartbeat and not queue.stale(other, now) for other in here)
