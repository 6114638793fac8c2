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
from threading import Event, Thread

from filelock import FileLock, Timeout

from annotate.store import Job, Store, StoreError
from annotate.worker import queue
from annotate.worker.run import KINDS, claim, run
from annotate.worker.serve import LOG_FORMAT, log_to_screen
from annotate.worker.settings import host
from fewshot.errors import FewshotError

log = logging.getLogger("annotate.worker")

IDLE = 300.0
"""Seconds without a job after which the process ends."""

EVERY = 0.25
"""Seconds after which a process without a job looks again."""

BEAT = 1.0
"""Seconds after which jobs that wait are heard of again."""

BUSY = "waiting until this machine is done with something else"

STOPPED = "the worker was stopped; start the job again"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when no job is left or another process does them, 2 without a database, 130 when somebody stopped it."""
    parser = argparse.ArgumentParser(prog="python -m annotate.worker", description="Do the jobs that the app queued.")
    parser.add_argument("--db", help="database URL; by default FEWSHOT_DB_URL, else the file of this user")
    given = parser.parse_args(arguments)
    try:
        store, app = Store.open(given.db, create=False), os.getppid()
        lock = queue.worker_lock(store)
        while True:
            with lock.acquire(timeout=0), _heard(store):
                do_jobs(store, app)
            if not queue.waiting_here(store):  # asked once the lock is free: who queues a job relies on who holds it
                return 0
    except Timeout:
        return 0
    except FewshotError as error:
        log.error("%s", error)
        return 2
    except KeyboardInterrupt:
        return queue.INTERRUPTED


@contextmanager
def _heard(store: Store) -> Iterator[None]:
    """Say while the block runs, whatever it does, that the worker is alive for which jobs wait here."""
    over, since = Event(), store.clock()

    def beat() -> None:
        nonlocal since
        while not over.wait(BEAT):
            try:
                since = store.beat_waiting(host(), since)
            except StoreError as error:  # the database may be back at the next beat
                log.warning("no heartbeat: %s", error)

    thread = Thread(target=beat, name="heartbeat of waiting jobs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def do_jobs(
    store: Store,
    app: int,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Do the jobs that wait here until there was none for `IDLE`, or none is left and the app has ended.

    Args:
        app: id of its process.
        sleep: waits so many seconds.
        clock: returns seconds.
    """
    last, loaded = clock(), False
    while clock() - last < IDLE:
        try:
            waiting = queue.waiting_here(store)
        except StoreError as error:  # a database that restarts does not end its worker
            log.warning("%s", error)
            waiting = []
        if waiting:
            _do_next(store, waiting[0])
            last, loaded = clock(), True
        elif os.getppid() != app:
            return
        elif not loaded:
            importlib.import_module(KINDS["train"])  # and torch with it, while people look at the page
            loaded = True
        sleep(EVERY)  # also between jobs, so that the process of another database gets its turn


def _do_next(store: Store, job: Job) -> None:
    """Do a job once nothing of another database computes on this machine."""
    computing = FileLock(queue.folder() / ".computing")
    try:
        with computing.acquire(timeout=BEAT, poll_interval=0.1):
            if claimed := claim(store, job.id):
                with _logged(claimed):
                    _do(store, claimed)
    except Timeout:
        store.beat(job, job.progress, BUSY)


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
