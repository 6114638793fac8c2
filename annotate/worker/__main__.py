"""``python -m annotate.worker``: run the jobs that the app has queued for this machine.

The process keeps its libraries and the encoder in memory, so that the next job starts at once. It ends after
`IDLE_SECONDS` without a job, or when the app that started it has ended. Each database has one such process, see
`queue.worker_lock`, and only one of all these processes computes at a time. The locks are files, which the kernel
releases when a process dies.
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
from contextlib import AbstractContextManager, contextmanager

from filelock import FileLock, Timeout

from annotate.store import Job, Store, StoreError
from annotate.worker import queue
from annotate.worker.heartbeat import HEARTBEAT_SECONDS, beating
from annotate.worker.run import KINDS, claim, run
from annotate.worker.serve import LOG_FORMAT, log_to_screen
from annotate.worker.settings import host
from fewshot.errors import FewshotError

log = logging.getLogger("annotate.worker")

IDLE_SECONDS = 300.0
"""Seconds without a job after which the process ends."""

POLL_SECONDS = 0.25
"""Seconds between two looks at the queue."""

BUSY_MESSAGE = "waiting for another job on this machine"

STOPPED_MESSAGE = "the worker was stopped; start the job again"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 if no job is left or another process runs them, 2 without a database, 130 if interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m annotate.worker", description="Run the jobs that the app has queued."
    )
    parser.add_argument("--db", help="database URL; default: FEWSHOT_DB_URL, else a file in the user's folder")
    options = parser.parse_args(arguments)
    try:
        store, app = Store.open(options.db, create=False), os.getppid()
        lock = queue.worker_lock(store)
        while True:
            with lock.acquire(timeout=0), _heartbeat_of_waiting_jobs(store):
                do_jobs(store, app)
            if not queue.waiting_here(store):  # after the release: whoever queues a job relies on the lock holder
                return 0
    except Timeout:
        return 0
    except FewshotError as error:
        log.error("%s", error)
        return 2
    except KeyboardInterrupt:
        return queue.INTERRUPTED_EXIT_CODE


def _heartbeat_of_waiting_jobs(store: Store) -> AbstractContextManager[None]:
    """Return a context in which heartbeats for the jobs that wait for this process are sent."""
    since = store.clock()

    def beat() -> None:
        nonlocal since
        since = store.beat_waiting(host(), since)

    return beating(beat, HEARTBEAT_SECONDS)


def do_jobs(
    store: Store,
    app: int,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Run the waiting jobs until there was none for `IDLE_SECONDS`, or none is left and the app has ended.

    `app` is the app's process id; `sleep` and `clock` work in seconds.
    """
    last, loaded = clock(), False
    while clock() - last < IDLE_SECONDS:
        try:
            waiting = queue.waiting_here(store)
        except StoreError as error:  # the database may be restarting
            log.warning("%s", error)
            waiting = []
        if waiting:
            _do_next(store, waiting[0])
            last, loaded = clock(), True
        elif os.getppid() != app:
            return
        elif not loaded:
            importlib.import_module(KINDS["train"])  # loads torch before the first job arrives
            loaded = True
        sleep(POLL_SECONDS)  # also between jobs, to let the worker of another database take the machine


def _do_next(store: Store, job: Job) -> None:
    """Run a job once no worker of another database computes on this machine."""
    computing = FileLock(queue.folder() / ".computing")
    try:
        with computing.acquire(timeout=HEARTBEAT_SECONDS, poll_interval=0.1):
            if claimed := claim(store, job.id):
                with _logging_to_file(claimed):
                    _do(store, claimed)
    except Timeout:
        store.beat(job, job.progress, BUSY_MESSAGE)


def _do(store: Store, job: Job) -> None:
    try:
        if not run(store, job) and (now := store.job(job.id)).state == "queued":
            store.beat(now, now.progress, now.message)  # the job was postponed and still waits for this process
    except KeyboardInterrupt:
        store.finish(job, error=STOPPED_MESSAGE)
        raise


@contextmanager
def _logging_to_file(job: Job) -> Iterator[None]:
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
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stores how the job ended
    sys.exit(main())
