"""``fewshot worker``: processes that do the app's jobs."""

from __future__ import annotations

import os
import signal
from typing import Annotated

import typer

from annotate.cli.base import Database, Suggesting, serve_database, tell_language_model, tell_rates
from fewshot.cli.common.base import RatesFile, app, command, console


@command(app, stopped="a job that was running goes on with the next worker")
def worker(
    db: Database = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Jobs at once, of each project one.", show_default="by cores and memory; GPU: 1"),
    ] = None,
    rates: RatesFile = None,
    *,
    suggesting: Suggesting,
) -> None:
    """Do the jobs of the app, such as suggestions, on this machine."""
    from annotate.worker.queue import JOBS_ELSEWHERE
    from annotate.worker.serve import log_to_screen, serve, share

    tell_rates(rates)
    tell_language_model(suggesting)
    store = serve_database(db)
    os.environ[JOBS_ELSEWHERE] = "1"  # what a job starts waits for a worker too
    log_to_screen()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the end of a job is stored
    of_each = share(jobs)
    console().print(f"waiting for jobs in {store.place}: {of_each}; Ctrl-C ends", soft_wrap=True)
    serve(store, of_each)
