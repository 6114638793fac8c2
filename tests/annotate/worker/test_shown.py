"""What people see of jobs: who waits for what, who failed, and why."""

from dataclasses import replace
from datetime import timedelta

import pytest

from annotate.store.jobs import ATTEMPTS
from annotate.worker import queue, run

LATER = 1.1 * queue.SILENT


@pytest.fixture
def look(store):
    """Return the jobs of a project that people see, some time after now."""

    def see(project, after=timedelta(0), kinds=("suggest", "train")):
        return queue.current(store, project.id, kinds, store.clock() + after)

    return see


@pytest.fixture
def elsewhere(monkeypatch):
    monkeypatch.setenv(queue.ELSEWHERE, "1")


def test_job_that_is_left_to_a_busy_worker_waits_for_as_long_as_it_takes(store, make, look, elsewhere):
    project, other = make(), make()
    first, second = (store.add_job(other.id, "train", {"task": task}) for task in ("pos", "dep"))
    store.add_job(project.id, "train", {"task": "pos"})
    (seen,) = look(project)
    assert (seen.state, seen.message) == ("queued", "waiting for a worker; 2 before it")
    store.finish(run.claim(store, first.id))
    running = run.claim(store, second.id)
    late = store.clock() + timedelta(hours=1)
    waiting = store.unfinished_jobs()[-1]
    seen = queue.shown(waiting, [replace(running, heartbeat=late), waiting], late)
    assert (seen.state, seen.message) == ("queued", "waiting for a worker; 1 before it")


def test_job_without_a_worker_or_whose_worker_died_waits_for_the_next_one(store, make, look, elsewhere):
    project = make()
    store.add_job(project.id, "train", {"task": "pos"})
    assert look(project)[0].message == "waiting for a worker"
    assert look(project, LATER)[0].message == "waiting for a worker; none was heard of: is fewshot worker running?"
    run.claim(store)
    (seen,) = look(project, LATER)
    assert seen.state == "queued"
    assert seen.message.startswith("its worker stopped; waiting for a worker")


def test_job_that_keeps_killing_its_workers_has_failed(store, make, look, elsewhere, monkeypatch):
    project, real = make(), store.clock
    store.add_job(project.id, "train", {"task": "pos"})
    for attempt in range(ATTEMPTS):
        monkeypatch.setattr(store, "clock", lambda passed=attempt * LATER: real() + passed)
        run.claim(store)
    (seen,) = look(project, LATER)
    assert (seen.state, seen.error) == ("failed", f"{queue.SILENCED}, 3 times; start it again, and it goes on")


@pytest.mark.parametrize("state", ["queued", "running"])
def test_job_of_this_machine_whose_process_is_silent_has_failed(store, make, look, state):
    project = make()
    job = store.add_job(project.id, "train", {"task": "pos"})
    store.beat(job, 0.0, "starting") if state == "queued" else run.claim(store, job.id)
    assert look(project)[0].state == state
    (seen,) = look(project, LATER)
    assert (seen.state, seen.error) == ("failed", f"{queue.SILENCED}; start it again, and it goes on")


def test_job_that_no_worker_took_up_where_none_is_expected_is_to_be_started_again(store, make, look, monkeypatch):
    project = make()
    store.add_job(project.id, "train", {"task": "pos"})
    assert look(project)[0].state == "queued"
    (seen,) = look(project, LATER)
    assert (seen.state, seen.error) == ("failed", "no worker has taken it up; start it again")
    monkeypatch.setenv(queue.ELSEWHERE, "1")
    assert look(project, LATER)[0].state == "queued"


@pytest.mark.parametrize("end", ["failed", "cancelled", "silent"])
def test_what_failed_or_was_stopped_is_seen_for_a_day(store, make, look, end):
    project = make()
    job = run.claim(store, store.add_job(project.id, "train", {"task": "pos"}).id)
    if end != "silent":
        store.cancel(job.id) if end == "cancelled" else store.finish(job, error="no memory")
    assert len(look(project, timedelta(hours=23))) == 1
    assert look(project, timedelta(hours=25)) == []


def test_the_queue_is_read_only_while_something_waits_or_runs(store, make, look, monkeypatch):
    project, read = make(), []
    store.finish(store.add_job(project.id, "train", {"task": "pos"}), error="no memory")
    for name in ("jobs", "unfinished_jobs"):
        real = getattr(store, name)
        monkeypatch.setattr(store, name, lambda *args, name=name, real=real: read.append(name) or real(*args))
    assert [job.error for job in look(project)] == ["no memory"]
    assert read == ["jobs"]
    store.add_job(project.id, "train", {"task": "dep"})
    assert len(look(project)) == 2
    assert read == ["jobs", "jobs", "unfinished_jobs"]


def test_what_failed_is_seen_until_the_same_is_done(store, make, look):
    project = make()
    for tasks, error in ((["pos"], "no model"), (["dep"], "no memory"), (["pos"], None)):
        store.finish(store.add_job(project.id, "suggest", {"tasks": tasks}), error=error)
    (seen,) = look(project)
    assert (queue.subject(seen), seen.error) == ("dep", "no memory")
    store.add_job(project.id, "suggest", {"tasks": ["ner"]})
    assert [(queue.subject(job), job.state) for job in look(project)] == [("dep", "failed"), ("ner", "queued")]
    assert look(project, kinds=("train",)) == []


def test_end_of_a_log_is_its_last_lines(monkeypatch):
    assert queue.log_tail(7) == ""
    queue.log_file(7).write_text("".join(f"line {number}\n" for number in range(9000)))
    assert queue.log_tail(7).split("\n") == [f"line {number}" for number in range(8960, 9000)]
    assert queue.log_tail(7, 1) == "line 8999"
