"""``python -m annotate.worker``: do the jobs that the app has queued for this machine, one after the other.

The process keeps its libraries and the encoder in memory, so that the next job begins at once. Without a job it ends
after `IDLE`, or when the app that began it has ended. Each database has one such process, see `queue.worker_lock`; of
those of several databases one computes at a time. Locks are files, which the kernel releases when a process dies.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from filelock import FileLock, Timeout

from annotate.store import Job, Store, StoreError
from annotate.worker import queue
from annotate.worker.run import KINDS, claim, run
from annotate.worker.serve import LOG_FORMAT, log_to_screen
from annotate.worker.settings import host
from fewshot.errors import FewshotError

log = logging.getLogger("annotate.worker")

INTERRUPTED = queue.INTERRUPTED
"""Exit code: somebody has stopped the process."""

IDLE = 300.0
"""Seconds without a job after which the process ends."""

EVERY = 0.25
"""Seconds after which a process without a job looks again."""

BEAT = 1.0
"""Seconds after which jobs that wait are heard of again."""

BUSY = "waiting until this machine is done with something else"

STOPPED = "the worker was stopped; start the job again"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when no job is left or another process does them, 2 when the database cannot be used, `INTERRUPTED`."""
    parser = argparse.ArgumentParser(prog="python -m annotate.worker", description="Do the jobs that the app queued.")
    parser.add_argument("--db", help="database URL; by default FEWSHOT_DB_URL, else the file of this user")
    given = parser.parse_args(arguments)
    try:
        store = Store.open(given.db, create=False)
        lock = queue.worker_lock(store)
        while True:
            with lock.acquire(timeout=0):
                do_jobs(store)
            if not queue.waiting_here(store):  # asked once the lock is free: who queues a job relies on who holds it
                return 0
    except Timeout:
        return 0
    except FewshotError as error:
        log.error("%s", error)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def do_jobs(
    store: Store,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Do the jobs that wait here until there was none for `IDLE`, or none is left and the app has ended.

    Args:
        sleep: waits so many seconds.
        clock: returns seconds.
    """
    app, last, loaded = os.getppid(), clock(), False
    while clock() - last < IDLE:
        try:
            if queue.waiting_here(store):
                _do_next(store)
                last, loaded = clock(), True
                continue
        except StoreError as error:  # a database that restarts does not end its worker
            log.warning("%s", error)
        if os.getppid() != app:
            return
        if not loaded:
            importlib.import_module(KINDS["train"])  # and torch with it, while people look at the page
            loaded = True
        sleep(EVERY)


def _do_next(store: Store) -> None:
    """Do the job whose turn it is, once nothing of another database computes on this machine."""
    computing = FileLock(queue.folder() / ".computing")
    try:
        with computing.acquire(timeout=BEAT, poll_interval=0.1):
            store.beat_waiting(host())
            job = next(iter(queue.waiting_here(store)), None)
            job = claim(store, job.id) if job else None
            if job:
                with _logged(job):
                    _do(store, job)
    except Timeout:
        store.beat_waiting(host(), BUSY)


def _do(store: Store, job: Job) -> None:
    try:
        if not run(store, job) and (now := store.job(job.id)).state == "queued":
            store.beat(now, now.progress, now.message)  # it gave way, and waits for this process
    except KeyboardInterrupt:
        store.finish(job, error=STOPPED)
        raise


@contextmanager
def _logged(job: Job) -> Iterator[None]:
    """Write what is logged to the log of a job too."""
    handler = logging.FileHandler(queue.log_file(job.id), encoding="utf-8")
    handler.setFormatter(logging.Formatter(LOG_FORMAT))
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()


if __name__ == "__main__":
    log_to_screen()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the job's end is stored
    sys.exit(main())
