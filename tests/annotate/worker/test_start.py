"""Jobs as the app starts them: real processes, which it may outlive or lose."""

import os
import signal
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace

import pytest

from annotate.worker import queue, run
from annotate.worker.__main__ import STOPPED, main

pytestmark = pytest.mark.system


@pytest.fixture
def quiet(monkeypatch):
    """Start no processes; return the commands of those that would have been."""
    started = []

    def popen(command, **options):
        started.append(command)
        return SimpleNamespace(pid=0, wait=lambda: 0)

    monkeypatch.setattr(queue.subprocess, "Popen", popen)
    return started


def wait(store, job, *states, seconds=120):
    for _ in range(seconds * 20):
        now = store.job(job.id)
        if now.state in states:
            return now
        time.sleep(0.05)
    raise AssertionError(f"{now}\n{queue.log_file(job.id).read_text()}")


def test_killed_worker_fails_with_the_likely_reason_and_its_job_goes_on(store, make, model_folder):
    project = make()
    args = {"model": str(model_folder), "device": "cpu"}
    first = wait(store, queue.start(store, project.id, "suggest", args), "running")
    assert first.pid != os.getpid()
    os.kill(first.pid, signal.SIGKILL)
    assert wait(store, first, "failed", seconds=20).error == queue.KILLED
    assert "memory ran out (signal 9)" in queue.KILLED
    again = queue.start(store, project.id, "suggest", args)
    assert wait(store, again, "done", "failed").error is None
    assert len(store.suggestions_of(project.id, "pos")) == 7
    assert "done" in queue.log_file(again.id).read_text()


def test_worker_that_ends_before_it_begins_fails_the_job(store, make, monkeypatch):
    monkeypatch.setattr(queue.sys, "executable", "/bin/false")
    job = wait(store, queue.start(store, make().id, "suggest", {}), "failed", seconds=20)
    assert job.error == "the worker ended unexpectedly (1)"


def test_terminated_worker_stores_why(store, make, model_folder):
    made = queue.start(store, make().id, "suggest", {"model": str(model_folder)})
    os.kill(wait(store, made, "running").pid, signal.SIGTERM)
    assert wait(store, made, "failed").error == STOPPED


def test_worker_that_cannot_be_started_fails_the_job(store, make, monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    job = queue.start(store, make().id, "suggest", {})
    assert job.state == "failed"
    assert "/nowhere/python" in job.error


def test_password_of_the_database_is_not_among_the_arguments_of_the_process(store, make, monkeypatch):
    started = []
    monkeypatch.setattr(queue.subprocess, "Popen", lambda command, **options: started.append((command, options)))
    monkeypatch.setattr(queue, "_watch", lambda *args: None)
    monkeypatch.setattr(store, "clock", store.now)
    store.url = store.url.set(drivername="postgresql+psycopg", username="ada", password="secret", host="h")
    job = queue.start(store, make().id, "suggest", {})
    ((command, options),) = started
    assert command[1:] == ["-m", "annotate.worker", str(job.id)]
    assert "ada:secret@h" in options["env"]["FEWSHOT_DB_URL"]
    assert options["start_new_session"]


@pytest.mark.parametrize("end", ["done", "failed", "cancelled"])
def test_job_that_is_over_is_never_stale(store, make, end):
    job = run.claim(store, store.add_job(make().id, "suggest", {}).id)
    store.cancel(job.id) if end == "cancelled" else store.finish(job, error="x" if end == "failed" else None)
    assert store.job(job.id).state == end
    assert not queue.stale(store.job(job.id), datetime.now(UTC) + timedelta(days=9))


def test_second_click_adds_no_second_job_while_the_first_one_waits(store, make, quiet):
    project = make()
    first = queue.start(store, project.id, "train", {"task": "pos"})
    assert queue.start(store, project.id, "train", {"task": "pos"}).id == first.id
    assert queue.start(store, project.id, "train", {"task": "dep"}).id != first.id
    assert queue.start(store, make().id, "train", {"task": "pos"}).id != first.id
    assert len(quiet) == 3
    run.claim(store, first.id)  # it works on what there was when it began
    assert queue.start(store, project.id, "train", {"task": "pos"}).id != first.id


def test_second_click_draws_no_second_round_while_the_first_one_is_drawn(store, make, quiet):
    project, args = make(), {"sampler": "entropy", "k": 2, "seed": 5}
    first = queue.start(store, project.id, "draw", args)
    run.claim(store, first.id)
    assert queue.start(store, project.id, "draw", args).id == first.id
    assert queue.start(store, project.id, "draw", args | {"seed": 6}).id != first.id


def test_one_click_starts_a_job_that_no_worker_has_taken_up(store, make, quiet, monkeypatch):
    project = make()
    monkeypatch.setenv(queue.ELSEWHERE, "1")
    left = queue.start(store, project.id, "train", {"task": "pos"})
    assert (left.heartbeat, quiet) == (None, [])
    monkeypatch.delenv(queue.ELSEWHERE)
    again = queue.start(store, project.id, "train", {"task": "pos"})
    assert (again.id, len(quiet)) == (left.id, 1)
    assert again.heartbeat is not None


@pytest.mark.parametrize("state", ["queued", "running"])
def test_one_click_goes_on_with_a_job_whose_process_died(store, make, quiet, monkeypatch, state):
    project = make()
    first = queue.start(store, project.id, "train", {"task": "pos"})
    if state == "running":
        run.claim(store, first.id)
    monkeypatch.setattr(queue, "stale", lambda job, now=None: True)
    again = queue.start(store, project.id, "train", {"task": "pos"})
    assert (again.id, again.state, len(quiet)) == (first.id, "queued", 2)
    assert again.heartbeat > first.heartbeat


def test_jobs_that_the_app_starts_compute_one_after_the_other(store, make, model_folder):
    args = {"device": "cpu", "model": str(model_folder)}
    begun = [queue.start(store, make().id, "suggest", args) for _ in range(2)]
    for before, after in pairwise(wait(store, job, "done", "failed") for job in begun):
        assert (before.error, after.error) == (None, None)
        assert before.ended <= after.started


def test_killed_worker_gives_way_to_the_next_job_and_a_stopped_one_never_computes(store, make, model_folder):
    args = {"device": "cpu", "model": str(model_folder)}
    first, second, third = [queue.start(store, make().id, "suggest", args) for _ in range(3)]
    store.cancel(second.id)
    os.kill(wait(store, first, "running").pid, signal.SIGKILL)
    assert wait(store, third, "done", "failed").error is None
    assert (store.job(first.id).state, store.job(second.id).started) == ("failed", None)


def test_process_of_a_job_that_does_not_wait_ends_well(store, make, url):
    job = store.add_job(make().id, "suggest", {})
    store.cancel(job.id)
    assert main([str(job.id), "--db", url]) == 0
    assert store.job(job.id).state == "cancelled"


def test_process_without_a_database_says_so(caplog):
    assert main(["1", "--db", "mysql://host/name"]) == 2
    assert "no database of kind 'mysql' here" in caplog.text
