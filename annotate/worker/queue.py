"""Jobs: work that needs torch, in a process beside the app that is started here and looked after."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile
from pathlib import Path
from threading import Thread
from typing import Any

from filelock import FileLock, Timeout

from annotate.rounds import curve
from annotate.store import ENCODER, LLM, SUGGESTERS, Job, Project, Store, StoreError
from annotate.store.database import URL_VARIABLE
from annotate.store.jobs import HEARTBEAT_TIMEOUT, MAX_ATTEMPTS, UNFINISHED
from annotate.worker.settings import host as own_host
from fewshot.corpora.files import private_user_dir

ELSEWHERE = "FEWSHOT_JOBS_ELSEWHERE"
"""Environment variable: set where jobs are left to ``fewshot worker``, on another machine maybe."""

KILLED = (
    "the worker was killed, most likely because memory ran out (signal 9); "
    "close other programs, or leave computing to a larger machine (fewshot app --worker, fewshot worker)"
)
INTERRUPTED = 130
"""Exit code of a worker that somebody has stopped."""

TO_START = 60.0
"""Seconds in which a worker that ends without a job has failed to start."""

SILENCED = "the worker stopped without a word: memory ran out, most likely, or the machine was switched off"

UNTAKEN = "no worker has taken it up"

REPEATED = ("suggest", "ask")
"""Kinds of jobs of which another one is added while one runs: that one knows nothing of what was drawn since it began.
"""

LEARNED = "learned from {}"
"""The remark of a job that has learned from so many examples."""

KEPT = timedelta(days=1)
"""For which people are shown what failed or was stopped."""

TAIL = 64_000
"""Bytes at the end of a log that its last lines are looked for in."""


def start(store: Store, project_id: int, kind: str, args: dict[str, Any]) -> Job | None:
    """Add a job for the process beside the app, or leave it to a worker, see `ELSEWHERE`.

    A job whose worker died goes on.

    Args:
        kind: of job, see `annotate.worker.run.KINDS`.
        args: of the job, see its module.

    Returns:
        The job; None where the same one is under way, whoever asked for it.
    """
    now = store.clock()
    states = ("queued",) if kind in REPEATED else UNFINISHED
    host = None if os.environ.get(ELSEWHERE) else own_host()
    job = store.request_job(project_id, kind, args, states, lambda job: stale(job, now), host)
    if job is not None and host:
        begin_worker(store)
    return job and store.job(job.id)


def begin_worker(store: Store) -> None:
    """Start the process that does the jobs of a database here, unless it is there.

    When the app stops it goes on until none is left.
    """
    if os.environ.get(ELSEWHERE) or _is_there(store):
        return
    environment = os.environ | {URL_VARIABLE: store.url.render_as_string(hide_password=False)}
    try:
        path = Path(worker_lock(store).lock_file).with_suffix(".log")
        path.write_bytes(b"")
        with path.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "annotate.worker"],  # -P: no module of the current folder
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )
    except OSError as error:
        for job in waiting_here(store):
            store.finish(job, error=f"no worker could be started: {error.strerror}: {error.filename}")
        return
    Thread(target=_watch, args=(store, process), name="end of worker", daemon=True).start()


def _watch(store: Store, process: subprocess.Popen[bytes]) -> None:
    """Store how the job of a process ended that could not do it itself, and have another process do those that wait."""
    begun = time.monotonic()
    code = process.wait()
    if not code:
        return
    reason = KILLED if code == -9 else f"the worker ended unexpectedly ({f'signal {-code}' if code < 0 else code})"
    with suppress(StoreError):
        here = [job for job in store.unfinished_jobs() if job.host == own_host()]
        lost = [job for job in here if job.state == "running" and job.pid == process.pid]
        failed_to_start = not lost and code != INTERRUPTED and time.monotonic() - begun < TO_START
        if failed_to_start and not _is_there(store):  # the next one would fail too
            lost = [job for job in here if job.state == "queued"]
        for job in lost:
            store.finish(job, error=reason)
        if waiting_here(store):
            begin_worker(store)


def _is_there(store: Store) -> bool:
    """Return whether the process is there that does the jobs of a database here."""
    try:
        with worker_lock(store).acquire(timeout=0):
            return False
    except Timeout:
        return True


def worker_lock(store: Store) -> FileLock:
    """Return the lock of the process that does the jobs of a database here."""
    is_file = store.is_sqlite and store.url.database
    url = Path(store.url.database or "").resolve() if is_file else store.url.render_as_string(hide_password=True)
    return FileLock(folder() / f".worker-{hashlib.sha256(f'{url} {own_host()}'.encode()).hexdigest()[:16]}")


def suggest(store: Store, project: Project) -> None:
    """Start suggestions for the items of a project that have none, of each model that it shows suggestions of.

    An encoder's are those of the project's own newest models, else of source models.
    """
    if ENCODER in SUGGESTERS[project.suggester]:
        _suggest(store, project)
    ask(store, project, project.tasks)


def ask(store: Store, project: Project, names: Sequence[str]) -> None:
    """Start suggestions of the language model for some tasks of a project, if it shows them."""
    if LLM in SUGGESTERS[project.suggester]:
        start(store, project.id, "ask", {"tasks": list(names)})


def _suggest(store: Store, project: Project) -> None:
    models = {task: curve.own_model(store, project, task) for task in project.tasks}
    for task, folder in models.items():
        if folder:
            start(store, project.id, "suggest", {"model": folder, "tasks": [task]})
    if without := [task for task, folder in models.items() if not folder]:
        start(store, project.id, "suggest", {"tasks": without})
    for task in project.tasks:  # what was drawn since is to have suggestions of the model that has learned, too
        if learned(store, project.id, task):
            learn(store, project, task)


def learn(store: Store, project: Project, task: str) -> None:
    """Start learning from what is finished of a task, see `annotate.worker.learn`, unless the project wants none.

    Nothing is started while a learning of the task or a training waits or runs, nor until as much time has passed since
    the last learning of the task as it took, so that a slow machine learns a task for half of the time at most. The
    next finished item asks again.
    """
    if not project.learns or ENCODER not in SUGGESTERS[project.suggester]:
        return
    now, jobs = store.clock(), store.jobs(project.id)
    learnings = [job for job in jobs if (job.kind, job.args.get("task")) == ("learn", task)]
    others = [job for job in jobs if job.kind == "train"]
    under_way = any(job.state in UNFINISHED and not stale(job, now) for job in learnings + others)
    spans = [(job.started, job.ended) for job in learnings if job.started and job.ended]
    too_soon = any(timedelta(0) <= now - ended < ended - begun for begun, ended in spans)
    if not under_way and not too_soon:
        start(store, project.id, "learn", {"task": task})


def learned(store: Store, project_id: int, task: str) -> tuple[int, datetime] | None:
    """Return from how many examples a model has learned last while people annotate, and when; None where none has."""
    for job in reversed(store.jobs(project_id)):
        if job.kind == "train" and job.state == "done" and job.args.get("task") in (None, task):
            return None  # its model suggests
        found = learned_from(job.error)
        if found and job.ended and (job.kind, job.args.get("task")) == ("learn", task):
            return found, job.ended
    return None


def learned_from(remark: str | None) -> int:
    """Return from how many examples a job has learned that left a remark; 0 where it has not."""
    found = re.fullmatch(LEARNED.format(r"(\d+)"), remark or "")
    return int(found[1]) if found else 0


def stale(job: Job, now: datetime) -> bool:
    """Return whether a job's worker has sent no heartbeat for `HEARTBEAT_TIMEOUT`.

    A job that is left to ``fewshot worker`` has none while it is queued: it waits for as long as it takes. The time is
    that of the store, by whose clock the process was heard of.
    """
    if job.state not in UNFINISHED or (job.heartbeat is None and os.environ.get(ELSEWHERE)):
        return False
    return abs(now - _heard_of(job)) > HEARTBEAT_TIMEOUT  # a clock that was set back knows of no time to come


def _heard_of(job: Job) -> datetime:
    return job.heartbeat or job.created


def current(store: Store, project_id: int, kinds: Sequence[str], now: datetime | None = None) -> list[Job]:
    """Return the jobs of a project that people should see, each as `shown`, the oldest first.

    That is what is queued or running, and what failed, was stopped or has something to say, unless the same was done
    since, or it is `KEPT` ago.
    """
    now = now or store.clock()
    jobs = [job for job in store.jobs(project_id) if job.kind in kinds]
    newest = {(job.kind, subject(job)): job.id for job in jobs}
    live = [job for job in jobs if job.state in UNFINISHED and not stale(job, now)]
    told = [job for job in jobs if job.state != "done" or job.error]
    jobs = [job for job in told if job in live or job.id == newest[job.kind, subject(job)]]
    queue = store.unfinished_jobs() if any(job.state in UNFINISHED for job in jobs) else []
    seen = [shown(job, queue, now) for job in jobs]
    return [job for job in seen if job.state in UNFINISHED or now - (job.ended or _heard_of(job)) < KEPT]


def subject(job: Job) -> str:
    """Return what a job is about, for people: its tasks, or its sampler."""
    tasks = job.args.get("tasks") or [job.args.get("task") or job.args.get("sampler") or ""]
    return ", ".join(tasks)


def shown(job: Job, queue: Sequence[Job], now: datetime) -> Job:
    """Return a job as people should see it: one that waits says for what, and one whose process has died has failed."""
    if stale(job, now):
        if not os.environ.get(ELSEWHERE) or job.attempts >= MAX_ATTEMPTS:
            times = f", {job.attempts} times" if job.attempts > 1 else ""
            error = (
                f"{SILENCED}{times}; start it again, and it goes on" if job.heartbeat else f"{UNTAKEN}; start it again"
            )
            return replace(job, state="failed", error=error)
        return replace(job, state="queued", message=f"its worker stopped; {_waiting(job, queue, now)}")
    return replace(job, message=_waiting(job, queue, now)) if job.state == "queued" else job


def _waiting(job: Job, queue: Sequence[Job], now: datetime) -> str:
    alive = [other for other in queue if not stale(other, now)]
    before = sum(not stale(other, now) for other in takewhile(lambda other: other.id != job.id, queue))
    place = f"; {before} before it" if before else ""
    if not os.environ.get(ELSEWHERE):
        return f"waiting{place}" if before else job.message or "waiting"
    heard = any(other.state == "running" for other in alive) or now - job.created < HEARTBEAT_TIMEOUT
    return f"waiting for a worker{place}{'' if heard else '; none was heard of: is fewshot worker running?'}"


def waiting(store: Store) -> list[Job]:
    """Return the jobs that this process could do, in the order of their turns, without those whose process has died."""
    now, hosts = store.clock(), (None, own_host())
    queued = [job for job in store.unfinished_jobs() if job.state == "queued" and job.host in hosts]
    return [job for job in queued if not stale(job, now)]


def waited_for(store: Store) -> list[Job]:
    """Return the jobs of `waiting` that people have asked for: a learning makes none of these wait."""
    return [job for job in waiting(store) if job.kind != "learn"]


def waiting_here(store: Store) -> list[Job]:
    """Return the jobs that wait for the process beside this app, in the order of their turns."""
    return [job for job in waiting(store) if job.host == own_host()]


def log_file(job_id: int) -> Path:
    """Return where the worker of a job writes what it has to say, tracebacks too; its folder is made."""
    return folder() / f"{job_id}.log"


def log_tail(job_id: int, lines: int = 40) -> str:
    """Return the last lines of a job's log; nothing where its worker ran on another machine."""
    try:
        with log_file(job_id).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
            return "\n".join(file.read().decode("utf-8", "replace").splitlines()[-lines:])
    except OSError:
        return ""


def folder() -> Path:
    """Return where logs of workers are kept, and their locks; it is made."""
    made = private_user_dir() / "jobs"
    made.mkdir(mode=0o700, exist_ok=True)
    return made
