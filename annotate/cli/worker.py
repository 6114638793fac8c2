"""``fewshot worker``: a process that does the app's jobs."""

from __future__ import annotations

import logging
import os
import signal

from annotate.cli.base import Database, serve_database
from fewshot.cli.base import app, command, console


@command(app, stopped="a job that was running goes on with the next worker")
def worker(db: Database = None) -> None:
    """Do the jobs of the app, such as suggestions, on this machine."""
    from annotate.worker.queue import ELSEWHERE
    from annotate.worker.run import serve

    store = serve_database(db)
    os.environ[ELSEWHERE] = "1"  # what a job starts waits for a worker too
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    for package in ("annotate", "fewshot"):
        logging.getLogger(package).setLevel(logging.INFO)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the end of a job is stored
    console().print(f"waiting for jobs in {store.place}; Ctrl-C ends", soft_wrap=True)
    serve(store)
