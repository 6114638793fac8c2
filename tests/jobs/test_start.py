"""Jobs as the app starts them: real processes, which it may outlive or lose."""

import os
import signal
import time
from datetime import UTC, datetime, timedelta

import pytest

from annotate import jobs
from fewshot.jobs import run
from fewshot.jobs.__main__ import main

LATER = timedelta(seconds=31)


def wait(store, job, *states, seconds=120):
    for _ in range(seconds * 20):
        now = store.job(job.id)
        if now.state in states:
            return now
        time.sleep(0.05)
    raise AssertionError(f"{now}\n{jobs.log_file(job.id).read_text()}")


def test_killed_worker_is_shown_as_failed_and_its_job_can_be_started_again(store, make, model_folder):
    project = make()
    args = {"model": str(model_folder), "device": "cpu"}
    first = wait(store, jobs.start(store, project.id, "suggest", args), "running")
    os.kill(first.pid, signal.SIGKILL)
    assert first.pid != os.getpid()
    time.sleep(0.2)
    assert store.job(first.id).state == "running"  # nobody could say more
    shown = jobs.shown(store.job(first.id), now=datetime.now(UTC) + LATER)
    assert shown.state == "failed"
    assert shown.error.startswith("the worker stopped")
    again = jobs.start(store, project.id, "suggest", args)
    assert wait(store, again, "done", "failed").error is None
    assert len(store.suggestions_of(project.id, "pos")) == 7
    assert "done" in jobs.log_file(again.id).read_text()


def test_terminated_worker_stores_why(store, make, model_folder):
    made = jobs.start(store, make().id, "suggest", {"model": str(model_folder)})
    os.kill(wait(store, made, "running").pid, signal.SIGTERM)
    assert wait(store, made, "failed").error == run.STOPPED


def test_worker_that_cannot_be_started_fails_the_job(store, make, monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    job = jobs.start(store, make().id, "suggest", {})
    assert job.state == "failed"
    assert "/nowhere/python" in job.error


def test_password_of_the_database_is_not_among_the_arguments_of_the_process(store, make, monkeypatch):
    started = []
    monkeypatch.setattr(jobs.subprocess, "Popen", lambda command, **options: started.append((command, options)))
    store.url = store.url.set(drivername="postgresql+psycopg", username="ada", password="secret", host="h")
    job = jobs.start(store, make().id, "suggest", {})
    ((command, options),) = started
    assert command[1:] == ["-m", "fewshot.jobs", str(job.id)]
    assert "ada:secret@h" in options["env"]["FEWSHOT_DB_URL"]
    assert options["start_new_session"]


@pytest.mark.parametrize("state", ["queued", "running"])
def test_job_of_which_nothing_was_heard_is_stale(store, make, state):
    job = store.add_job(make().id, "suggest", {})
    if state == "running":
        job = run.claim(store, job.id)
    now = datetime.now(UTC)
    assert not jobs.stale(job, now)
    assert jobs.shown(job, now) == job
    assert jobs.stale(job, now + LATER)
    assert jobs.shown(job, now + LATER).state == "failed"


@pytest.mark.parametrize("end", ["done", "failed", "cancelled"])
def test_job_that_is_over_is_never_stale(store, make, end):
    job = run.claim(store, store.add_job(make().id, "suggest", {}).id)
    store.cancel(job.id) if end == "cancelled" else store.finish(job.id, error="x" if end == "failed" else None)
    assert store.job(job.id).state == end
    assert not jobs.stale(store.job(job.id), datetime.now(UTC) + timedelta(days=9))


def test_process_of_a_job_that_does_not_wait_ends_well(store, make, url):
    job = store.add_job(make().id, "suggest", {})
    store.cancel(job.id)
    assert main([str(job.id), "--db", url]) == 0
    assert store.job(job.id).state == "cancelled"


def test_process_without_a_database_says_so(caplog):
    assert main(["1", "--db", "mysql://host/name"]) == 2
    assert "no database of kind 'mysql' here" in caplog.text
