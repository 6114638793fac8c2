"""Execution of claimed jobs.

Torch is imported after the claim, so that the app shows the job as running at once.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from annotate.store import Job, Project, Store
from annotate.worker import files
from annotate.worker.heartbeat import Heartbeat, JobCancelled, JobPostponed
from annotate.worker.settings import host
from fewshot.errors import FewshotError
from samplers import SamplerError

log = logging.getLogger(__name__)

KINDS = {
    kind: f"annotate.worker.{kind}"
    for kind in ("ask", "cross_check", "draw", "learn", "predict", "simulate", "suggest", "train")
}
"""The module of each kind of job, with a function ``run(store, job, report, place)``."""


def claim(store: Store, job_id: int | None = None) -> Job | None:
    """Claim the job with an id, or the next one; None if there is none."""
    return store.claim_job(host=host(), pid=os.getpid(), job_id=job_id)


def run(store: Store, job: Job, sharing: int = 1) -> bool:
    """Run a job that this process has claimed, and store how it ended.

    Args:
        sharing: number of processes that run jobs on this machine, each with its own threads.

    Returns:
        Whether the job is done; otherwise it failed, was cancelled or was postponed. The stored error is one line; the
        log has the traceback.
    """
    try:
        log.info("job %d: %s %s", job.id, job.kind, job.args)
        heartbeat, project = Heartbeat(store, job), store.project(job.project_id)
        with _without_files_of_deleted(store, project), heartbeat.running():
            remark = _run_kind(store, job, heartbeat, sharing)
    except JobCancelled:
        log.info("job %d: stopped, since it was cancelled or reassigned", job.id)
        return False
    except JobPostponed:
        log.info("job %d: postponed until waiting jobs are done", job.id)
        store.put_back(job)
        return False
    except (FewshotError, SamplerError) as error:
        return _failed(store, job, " ".join(str(error).split()))
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return _failed(store, job, f"unexpected error ({reason}); see the log of the worker")
    store.finish(job, remark=remark)
    log.info("job %d: done", job.id)
    return True


@contextmanager
def _without_files_of_deleted(store: Store, project: Project) -> Iterator[None]:
    """Remove at the end what a job has written after somebody deleted its project."""
    try:
        yield
    finally:
        with suppress(FewshotError):  # a database that is away says nothing, and a file that stays hides no other error
            if not store.has_project(project):
                files.remove(project, ())


def _run_kind(store: Store, job: Job, heartbeat: Heartbeat, sharing: int) -> str | None:
    if job.kind not in KINDS:
        raise FewshotError(f"unknown kind of job {job.kind!r}; this version has {', '.join(KINDS)}")
    from fewshot.experiments.executors.place import this_machine

    place = this_machine(job.args.get("device", "auto"), sharing=sharing)
    remark: str | None = importlib.import_module(KINDS[job.kind]).run(store, job, heartbeat.report, place)
    return remark or None


def _failed(store: Store, job: Job, reason: str) -> bool:
    log.exception("job %d: %s", job.id, reason)
    store.finish(job, error=reason)
    return False
