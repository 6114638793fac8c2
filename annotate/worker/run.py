"""Carry out jobs. Torch is not imported before a job is claimed, so that it is seen at once that somebody is at it."""

from __future__ import annotations

import importlib
import logging
import os
import socket
import time

from annotate.store import Job, Store, StoreError
from annotate.worker.heartbeat import Heartbeat, Unwanted
from fewshot.errors import FewshotError
from samplers import SamplerError

log = logging.getLogger(__name__)

KINDS = {kind: f"annotate.worker.{kind}" for kind in ("draw", "predict", "simulate", "suggest", "train")}
"""The module of each kind of job. Its ``run(store, job, report)`` does it; ``report`` raises once it should stop."""

POLL = 2.0
"""Seconds after which a worker without a job looks again."""


def claim(store: Store, job_id: int | None = None) -> Job | None:
    """Take a job that waits, or whose worker died: the one with that id, or the oldest; None when there is none."""
    return store.claim_job(host=socket.gethostname(), pid=os.getpid(), job_id=job_id)


def run(store: Store, job: Job) -> bool:
    """Carry out a job that this process has claimed, and store how it ended.

    Returns:
        Whether it was done; if not it failed, or was cancelled. Its error is one line, the traceback goes to the log.
    """
    try:
        log.info("job %d: %s %s", job.id, job.kind, job.args)
        with Heartbeat(store, job) as heartbeat:
            remark = _work(store, job, heartbeat)
    except Unwanted:
        log.info("job %d: stopped, since nobody waits for it any more", job.id)
        return False
    except (FewshotError, SamplerError) as error:
        return _failed(store, job, " ".join(str(error).split()))
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return _failed(store, job, f"something unexpected happened ({reason}); the log of the worker says where")
    store.finish(job, remark=remark)
    log.info("job %d: done", job.id)
    return True


def serve(store: Store) -> None:
    """Carry out the jobs of a queue, oldest first, until the process is interrupted; its job then waits for another."""
    while True:
        try:
            job = claim(store)
            if job:
                _run_or_put_back(store, job)
        except StoreError as error:  # a database that restarts does not end its workers
            log.warning("%s", error)
            job = None
        if job is None:
            time.sleep(POLL)


def _run_or_put_back(store: Store, job: Job) -> None:
    try:
        run(store, job)
    except KeyboardInterrupt:
        store.put_back(job)
        raise


def _work(store: Store, job: Job, heartbeat: Heartbeat) -> str | None:
    """Do a job; return what people should know of how it was done, if anything."""
    if job.kind not in KINDS:
        raise FewshotError(f"this version knows no job {job.kind!r}; it knows {', '.join(KINDS)}")
    remark: str | None = importlib.import_module(KINDS[job.kind]).run(store, job, heartbeat.report)
    return remark or None


def _failed(store: Store, job: Job, reason: str) -> bool:
    log.exception("job %d: %s", job.id, reason)
    store.finish(job, error=reason)
    return False
