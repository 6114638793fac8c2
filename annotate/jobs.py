"""Jobs: work that needs torch, each in a process of its own, started here and looked after."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import platformdirs

from annotate import curve
from annotate.store import Job, Project, Store
from annotate.store.database import ENVIRONMENT
from fewshot.costs import rates
from fewshot.curves import advice

SILENT = timedelta(seconds=30)
"""After which a worker that has not been heard of is taken for dead; it beats every two seconds."""


ELSEWHERE = "FEWSHOT_JOBS_ELSEWHERE"
"""Environment variable: set where jobs are left to ``fewshot worker``, on another machine maybe."""


def start(store: Store, project_id: int, kind: str, args: dict[str, Any]) -> Job:
    """Add a job and start a process for it, which goes on when the app stops; or leave it to a worker, see `ELSEWHERE`.

    Args:
        store: where the job is kept.
        project_id: what it is about.
        kind: of job, see `fewshot.jobs.run.KINDS`.
        args: of the job, see its module.
    """
    job = store.add_job(project_id=project_id, kind=kind, args=args)
    if os.environ.get(ELSEWHERE):
        return job
    environment = os.environ | {ENVIRONMENT: store.url.render_as_string(hide_password=False)}
    try:
        with log_file(job.id).open("ab") as log:
            subprocess.Popen(
                [sys.executable, "-m", "fewshot.jobs", str(job.id)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )
    except OSError as error:
        store.finish(job.id, error=f"no worker could be started: {error.strerror}: {error.filename}")
    return store.job(job.id)


def suggest(store: Store, project: Project) -> None:
    """Start suggestions for the items of a project that have none: of its own newest models, else of source models."""
    models = {task: own_model(store, project, task) for task in project.tasks}
    for task, folder in models.items():
        if folder:
            start(store, project.id, "suggest", {"model": folder, "tasks": [task]})
    if without := [task for task, folder in models.items() if not folder]:
        start(store, project.id, "suggest", {"tasks": without})


def own_model(store: Store, project: Project, task: str) -> str | None:
    """Return the folder of the newest model that was trained on a project's annotations, on the machine that did it.

    None where there is none, and where no round beats zero-shot: then the source model is the better one.
    """
    trained = [row["model"] for row in store.results(project.id, task) if "predictions" in row]
    made = curve.curve(store, project, task, rates.load()) if trained else None
    if made and not advice.best_k(made.curve):
        return None
    return trained[-1] if trained else None


def stale(job: Job, now: datetime | None = None) -> bool:
    """Return whether a job waits for a worker, or runs, and nothing was heard of a worker for `SILENT`."""
    heard = job.heartbeat or job.started or job.created
    return job.state in ("queued", "running") and (now or datetime.now(UTC)) - heard > SILENT


def shown(job: Job, now: datetime | None = None) -> Job:
    """Return a job as people should see it: one whose worker has died has failed."""
    if not stale(job, now):
        return job
    what = "the worker stopped" if job.state == "running" else "no worker took the job"
    return replace(job, state="failed", error=f"{what}; start it again, or see {log_file(job.id)}")


def log_file(job_id: int) -> Path:
    """Return where the worker of a job writes what it has to say, tracebacks too; its folder is made."""
    folder = platformdirs.user_data_path("fewshot", appauthor=False) / "jobs"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{job_id}.log"
