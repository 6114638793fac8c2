"""``fewshot worker``: processes that run the app's jobs."""

from __future__ import annotations

import os
import signal
from typing import Annotated

import typer

from annotate.cli.base import Database, SuggestionOptions, export_language_model, export_rates, serve_database
from fewshot.cli.common.base import RatesFile, app, command, console


@command(app, example="fewshot worker --jobs 2", stopped="the next worker continues an unfinished job")
def worker(
    db: Database = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Concurrent jobs, at most one per project.", show_default="by cores and memory; GPU: 1"
        ),
    ] = None,
    rates: RatesFile = None,
    *,
    suggesting: SuggestionOptions,
) -> None:
    """Run the app's jobs, such as trainings and suggestions, on this machine."""
    from annotate.worker.queue import JOBS_ELSEWHERE
    from annotate.worker.serve import log_to_screen, serve, share

    export_rates(rates)
    export_language_model(suggesting)
    store = serve_database(db)
    os.environ[JOBS_ELSEWHERE] = "1"  # jobs started by jobs wait for a worker, too
    log_to_screen()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stores how a job ended
    job_share = share(jobs)
    console().print(f"waiting for jobs in {store.place}: {job_share}; Ctrl-C ends", soft_wrap=True)
    serve(store, job_share)
