"""The app's side of the job queue: it adds jobs, starts the worker process, and describes their state."""

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
from annotate.worker import waiting_for
from annotate.worker.settings import host as own_host
from fewshot.corpora.files import private_user_dir

JOBS_ELSEWHERE = "FEWSHOT_JOBS_ELSEWHERE"
"""Environment variable: if set, the app starts no worker process; ``fewshot worker`` runs the jobs."""

KILLED = (
    "the worker was killed, most likely because memory ran out (signal 9); "
    "close other programs, or run the jobs on a larger machine (fewshot app --worker, fewshot worker)"
)
INTERRUPTED_EXIT_CODE = 130

STARTUP_SECONDS = 60.0
"""A worker that ends within this time without having claimed a job has failed to start."""

NO_HEARTBEAT = "the worker stopped responding; most likely memory ran out or the machine was switched off"

UNCLAIMED = "no worker has claimed the job"

REPEATABLE_KINDS = ("suggest", "ask")
"""Kinds that are queued again while one runs, since the running job misses later draws."""

LEARNED_REMARK = "learned from {}"
"""Remark of a finished learning job: the number of examples."""

SHOW_FINISHED_FOR = timedelta(days=1)
"""How long a failed or stopped job is shown."""

MAX_TAIL_LINES, MAX_TAIL_BYTES = 40, 64_000
"""Last lines of a log that are shown, and bytes at its end in which they are looked up."""


def start(store: Store, project_id: int, kind: str, args: dict[str, Any]) -> Job | None:
    """Add a job and start a worker process, or leave the job to a worker, see `JOBS_ELSEWHERE`.

    A job whose worker died is continued. `kind` and `args` are described in `annotate.worker.run` and the kind's
    module.

    Returns:
        The job; None if the same job is already unfinished.
    """
    now = store.clock()
    states = ("queued",) if kind in REPEATABLE_KINDS else UNFINISHED
    host = None if os.environ.get(JOBS_ELSEWHERE) else own_host()
    job = store.request_job(project_id, kind, args, states, lambda job: is_stale(job, now), host)
    if job is not None and host:
        start_worker(store)
    return job and store.job(job.id)


def start_worker(store: Store) -> None:
    """Start the process that runs the jobs of a database on this machine, unless it is running.

    After the app stops, the process continues until no job is left.
    """
    if os.environ.get(JOBS_ELSEWHERE) or _is_worker_running(store):
        return
    environment = os.environ | {URL_VARIABLE: store.url.render_as_string(hide_password=False)}
    try:
        path = Path(worker_lock(store).lock_file).with_suffix(".log")
        path.write_bytes(b"")
        with path.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "annotate.worker"],  # -P: import nothing from the current folder
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )
    except OSError as error:
        for job in waiting_here(store):
            store.finish(job, error=f"cannot start a worker: {error.strerror}: {error.filename}")
        return
    Thread(target=_watch, args=(store, process), name="end of worker", daemon=True).start()


def _watch(store: Store, process: subprocess.Popen[bytes]) -> None:
    """Fail the job of a worker that died, and start another worker if jobs wait."""
    started = time.monotonic()
    code = process.wait()
    if not code:
        return
    reason = KILLED if code == -9 else f"the worker ended unexpectedly ({f'signal {-code}' if code < 0 else code})"
    with suppress(StoreError):
        local_jobs = [job for job in store.unfinished_jobs() if job.host == own_host()]
        lost = [job for job in local_jobs if job.state == "running" and job.pid == process.pid]
        failed_to_start = not lost and code != INTERRUPTED_EXIT_CODE and time.monotonic() - started < STARTUP_SECONDS
        if failed_to_start and not _is_worker_running(store):  # another start would fail, too
            lost = [job for job in local_jobs if job.state == "queued"]
        for job in lost:
            store.finish(job, error=reason)
        if waiting_here(store):
            start_worker(store)


def _is_worker_running(store: Store) -> bool:
    try:
        with worker_lock(store).acquire(timeout=0):
            return False
    except Timeout:
        return True


def worker_lock(store: Store) -> FileLock:
    """Return the lock held by the process that runs the jobs of a database on this machine."""
    is_file = store.is_sqlite and store.url.database
    url = Path(store.url.database or "").resolve() if is_file else store.url.render_as_string(hide_password=True)
    return FileLock(folder() / f".worker-{hashlib.sha256(f'{url} {own_host()}'.encode()).hexdigest()[:16]}")


def suggest(store: Store, project: Project) -> None:
    """Start suggestions by each kind of model whose suggestions a project shows."""
    if ENCODER in SUGGESTERS[project.suggester]:
        _suggest_by_encoder(store, project)
    ask(store, project, project.tasks)


def ask(store: Store, project: Project, names: Sequence[str]) -> None:
    """Start suggestions of the language model for some tasks of a project, if it shows them."""
    if LLM in SUGGESTERS[project.suggester]:
        start(store, project.id, "ask", {"tasks": list(names)})


def _suggest_by_encoder(store: Store, project: Project) -> None:
    models = {task: curve.own_model(store, project, task) for task in project.tasks}
    for task, folder in models.items():
        if folder:
            start(store, project.id, "suggest", {"model": folder, "tasks": [task]})
    if without := [task for task, folder in models.items() if not folder]:
        start(store, project.id, "suggest", {"tasks": without})
    for task in project.tasks:  # later draws get suggestions of the model that has learned, too
        if last_learning(store, project.id, task):
            learn(store, project, task)


def learn(store: Store, project: Project, task: str) -> None:
    """Start learning from a task's finished items, see `annotate.worker.learn`, if the project learns.

    Nothing is started while a learning of the task or a training is unfinished, nor within the duration of the task's
    last learning after its end, so that a slow machine spends at most half of its time on it. The next finished item
    calls this again.
    """
    if not project.learns or ENCODER not in SUGGESTERS[project.suggester]:
        return
    now, jobs = store.clock(), store.jobs(project.id)
    learnings = [job for job in jobs if (job.kind, job.args.get("task")) == ("learn", task)]
    others = [job for job in jobs if job.kind == "train"]
    under_way = any(job.state in UNFINISHED and not is_stale(job, now) for job in learnings + others)
    spans = [(job.started, job.ended) for job in learnings if job.started and job.ended]
    too_soon = any(timedelta(0) <= now - ended < ended - begun for begun, ended in spans)
    if not under_way and not too_soon:
        start(store, project.id, "learn", {"task": task})


def last_learning(store: Store, project_id: int, task: str) -> tuple[int, datetime] | None:
    """Return (number of examples, time) of the task's last learning, or None if a training came later."""
    for job in reversed(store.jobs(project_id)):
        if job.kind == "train" and job.state == "done" and job.args.get("task") in (None, task):
            return None  # the trained model suggests
        examples = learned_from(job.error)
        if examples and job.ended and (job.kind, job.args.get("task")) == ("learn", task):
            return examples, job.ended
    return None


def learned_from(remark: str | None) -> int:
    """Return the number of examples in the remark of a learning job, 0 if it learned nothing."""
    match = re.fullmatch(LEARNED_REMARK.format(r"(\d+)"), remark or "")
    return int(match[1]) if match else 0


def is_stale(job: Job, now: datetime) -> bool:
    """Return whether a job's worker has sent no heartbeat for `HEARTBEAT_TIMEOUT`.

    A queued job that is left to ``fewshot worker`` has no heartbeats and never is. `now` is by the clock of the store.
    """
    if job.state not in UNFINISHED or (job.heartbeat is None and os.environ.get(JOBS_ELSEWHERE)):
        return False
    return abs(now - _last_heard(job)) > HEARTBEAT_TIMEOUT  # a heartbeat in the future: a clock was set back


def _last_heard(job: Job) -> datetime:
    return job.heartbeat or job.created


def visible_jobs(store: Store, project_id: int, kinds: Sequence[str], now: datetime | None = None) -> list[Job]:
    """Return the jobs of a project that users should see, each as `for_display`, oldest first.

    Those are all unfinished jobs, and jobs that failed, were stopped or left a remark, unless the same job was done
    later or they ended more than `SHOW_FINISHED_FOR` ago.
    """
    now = now or store.clock()
    jobs = [job for job in store.jobs(project_id) if job.kind in kinds]
    newest = {(job.kind, subject(job)): job.id for job in jobs}
    live = [job for job in jobs if job.state in UNFINISHED and not is_stale(job, now)]
    notable = [job for job in jobs if job.state != "done" or job.error]
    jobs = [job for job in notable if job in live or job.id == newest[job.kind, subject(job)]]
    queue = store.unfinished_jobs() if any(job.state in UNFINISHED for job in jobs) else []
    displayed = [for_display(job, queue, now) for job in jobs]
    return [
        job for job in displayed if job.state in UNFINISHED or now - (job.ended or _last_heard(job)) < SHOW_FINISHED_FOR
    ]


def subject(job: Job) -> str:
    """Return the tasks or the sampler of a job, for display."""
    tasks = job.args.get("tasks") or [job.args.get("task") or job.args.get("sampler") or ""]
    return ", ".join(tasks)


def for_display(job: Job, queue: Sequence[Job], now: datetime) -> Job:
    """Return a job with what it waits for as its message, or as failed if its worker died."""
    if is_stale(job, now):
        if not os.environ.get(JOBS_ELSEWHERE) or job.attempts >= MAX_ATTEMPTS:
            times = f", {job.attempts} times" if job.attempts > 1 else ""
            error = (
                f"{NO_HEARTBEAT}{times}; start the job again to continue it"
                if job.heartbeat
                else f"{UNCLAIMED}; start it again"
            )
            return replace(job, state="failed", error=error)
        return replace(job, state="queued", message=f"its worker stopped; {_waiting_message(job, queue, now)}")
    return replace(job, message=_waiting_message(job, queue, now)) if job.state == "queued" else job


def _waiting_message(job: Job, queue: Sequence[Job], now: datetime) -> str:
    live = [queued for queued in queue if not is_stale(queued, now)]
    before = [queued for queued in takewhile(lambda queued: queued.id != job.id, queue) if queued in live]
    blocked = waiting_for.described(before, job.project_id)
    if not os.environ.get(JOBS_ELSEWHERE):
        return f"waiting for {blocked}" if before else job.message or "waiting"
    has_worker = any(queued.state == "running" for queued in live) or now - job.created < HEARTBEAT_TIMEOUT
    place = f"; before it: {blocked}" if before else ""
    return f"waiting for a worker{place}{'' if has_worker else '; no worker responds: is fewshot worker running?'}"


def waiting(store: Store) -> list[Job]:
    """Return the queued jobs that this process could run, in queue order, without stale jobs."""
    now, hosts = store.clock(), (None, own_host())
    queued = [job for job in store.unfinished_jobs() if job.state == "queued" and job.host in hosts]
    return [job for job in queued if not is_stale(job, now)]


def waiting_requests(store: Store) -> list[Job]:
    """Return the waiting jobs that a user has requested: all kinds but learning."""
    return [job for job in waiting(store) if job.kind != "learn"]


def waiting_here(store: Store) -> list[Job]:
    """Return the jobs that wait for this machine's worker process, in queue order."""
    return [job for job in waiting(store) if job.host == own_host()]


def log_file(job_id: int) -> Path:
    """Return the path of the log of a job's worker; its folder is created."""
    return folder() / f"{job_id}.log"


def log_tail(job_id: int) -> str:
    """Return the last lines of a job's log, or an empty string if the worker ran on another machine."""
    try:
        with log_file(job_id).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - MAX_TAIL_BYTES))
            return "\n".join(file.read().decode("utf-8", "replace").splitlines()[-MAX_TAIL_LINES:])
    except OSError:
        return ""


def folder() -> Path:
    """Return the folder of the workers' logs and locks, which is created."""
    path = private_user_dir() / "jobs"
    path.mkdir(mode=0o700, exist_ok=True)
    return path
