"""Carry out jobs. Torch is imported once a job is claimed, so that it is seen at once that somebody is at it."""

from __future__ import annotations

import importlib
import logging
import os

from annotate.store import Job, Store
from annotate.worker.heartbeat import GaveWay, Heartbeat, Unwanted
from annotate.worker.settings import host
from fewshot.errors import FewshotError
from samplers import SamplerError

log = logging.getLogger(__name__)

KINDS = {
    kind: f"annotate.worker.{kind}" for kind in ("ask", "draw", "learn", "predict", "simulate", "suggest", "train")
}
"""The module of each kind of job. Its ``run(store, job, report, place)`` does it; ``report`` raises to stop it."""


def claim(store: Store, job_id: int | None = None) -> Job | None:
    """Take a job that waits, or whose worker died: the one with that id, or the oldest; None when there is none."""
    return store.claim_job(host=host(), pid=os.getpid(), job_id=job_id)


def run(store: Store, job: Job, sharing: int = 1) -> bool:
    """Carry out a job that this process has claimed, and store how it ended.

    Args:
        sharing: processes that do jobs on this machine, each with threads of its own.

    Returns:
        Whether it was done; if not it failed, was cancelled, or waits again, see `GaveWay`. Its error is one line, the
        traceback goes to the log.
    """
    try:
        log.info("job %d: %s %s", job.id, job.kind, job.args)
        with Heartbeat(store, job) as heartbeat:
            remark = _work(store, job, heartbeat, sharing)
    except Unwanted:
        log.info("job %d: stopped, since nobody waits for it any more", job.id)
        return False
    except GaveWay:
        log.info("job %d: goes on after others that wait", job.id)
        store.put_back(job)
        return False
    except (FewshotError, SamplerError) as error:
        return _failed(store, job, " ".join(str(error).split()))
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return _failed(store, job, f"something unexpected happened ({reason}); the log of the worker says where")
    store.finish(job, remark=remark)
    log.info("job %d: done", job.id)
    return True


def _work(store: Store, job: Job, heartbeat: Heartbeat, sharing: int) -> str | None:
    """Do a job; return what people should know of how it was done, if anything."""
    if job.kind not in KINDS:
        raise FewshotError(f"this version knows no job {job.kind!r}; it knows {', '.join(KINDS)}")
    from fewshot.experiments.executors.place import this_machine

    place = this_machine(job.args.get("device", "auto"), sharing=sharing)
    remark: str | None = importlib.import_module(KINDS[job.kind]).run(store, job, heartbeat.report, place)
    return remark or None


def _failed(store: Store, job: Job, reason: str) -> bool:
    log.exception("job %d: %s", job.id, reason)
    store.finish(job, error=reason)
    return False
