"""``python -m annotate.worker ID``: wait for the turn of one job, carry it out, and end."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Sequence

from annotate.store import Job, Store
from annotate.worker.machine_lock import machine_lock
from annotate.worker.run import claim, run
from annotate.worker.serve import log_to_screen
from fewshot.errors import FewshotError

log = logging.getLogger("annotate.worker")

INTERRUPTED, AGAIN = 130, 75
"""Exit codes: somebody has stopped the process, and the job is to be waited for anew."""

STOPPED = "the worker was stopped; start the job again"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when the job was done or is another's, 1 when it was not done, 2 when the database cannot be used.

    `AGAIN`: it gave way to others.
    """
    parser = argparse.ArgumentParser(prog="python -m annotate.worker", description="Carry out one job of the app.")
    parser.add_argument("job", type=int, help="its id")
    parser.add_argument("--db", help="database URL; by default FEWSHOT_DB_URL, else the file of this user")
    given = parser.parse_args(arguments)
    try:
        store = Store.open(given.db, create=False)
        with machine_lock(store, given.job) as mine:
            job = claim(store, given.job) if mine else None
            if job is None:
                log.info("job %d is not waiting", given.job)
                return 0
            return _ended(store, job)
    except FewshotError as error:
        log.error("%s", error)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _ended(store: Store, job: Job) -> int:
    try:
        if run(store, job):
            return 0
        waits = store.job(job.id)
        if waits.state != "queued":
            return 1
        store.beat(waits, waits.progress, waits.message)  # nobody takes it for lost before this process waits again
        return AGAIN
    except KeyboardInterrupt:
        store.finish(job, error=STOPPED)
        raise


if __name__ == "__main__":
    log_to_screen()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the job's end is stored
    if (code := main()) == AGAIN:
        os.execv(sys.executable, sys.orig_argv)  # to wait in little memory
    sys.exit(code)
