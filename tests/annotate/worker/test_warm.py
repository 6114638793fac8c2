"""The process beside the app: it does what waits here, one job after the other, and stays for a while."""

import os
from types import SimpleNamespace

import pytest
from filelock import FileLock
from storing import Clock
from waiting import wait_until

from annotate.store import Store, StoreError
from annotate.store.jobs import HEARTBEAT_TIMEOUT
from annotate.worker import __main__ as worker
from annotate.worker import models, queue, settings


@pytest.fixture
def done(store, monkeypatch):
    """Do jobs without torch; return what was done, in order, and each look for one that found none."""
    found = []

    def run(store, job):
        found.append(job.id)
        store.finish(job)
        return True

    monkeypatch.setattr(worker, "run", run)
    monkeypatch.setattr(worker.importlib, "import_module", lambda name: found.append("loads"))
    return found


@pytest.fixture
def add(store, make):
    """Queue a job for the process beside the app, or for one elsewhere."""
    project = make()
    return lambda host=settings.host(): store.request_job(project.id, "train", {}, (), lambda job: False, host)


def ends_when_idle(store, monkeypatch, sleep=lambda: None):
    """Do jobs until the app is found to have ended, which is so after the first sleep."""
    parent = ["app"]

    def slept(seconds):
        sleep()
        parent[0] = "init"

    with monkeypatch.context() as patch:
        patch.setattr(worker.os, "getppid", lambda: parent[0])
        worker.do_jobs(store, "app", slept)


def test_jobs_of_here_are_done_oldest_first_and_those_that_come_while_it_waits(store, add, done, monkeypatch):
    first, _, second = add(), add("another machine"), add()
    late = []
    ends_when_idle(store, monkeypatch, lambda: late or late.append(add().id))
    assert done == [first.id, second.id, *late]


def test_process_ends_after_a_while_without_a_job(store, done):
    passed = [0.0]

    def sleep(seconds):
        passed[0] += worker.IDLE_SECONDS / 2

    worker.do_jobs(store, os.getppid(), sleep, lambda: passed[0])
    assert passed == [worker.IDLE_SECONDS]


def test_jobs_whose_process_died_long_ago_are_left_to_people(store, add, done, url, monkeypatch):
    lost, clock = add(), Clock()
    clock.passes(2 * HEARTBEAT_TIMEOUT)
    later = Store(url, clock=clock)
    later.beat_waiting(settings.host(), later.clock())
    ends_when_idle(later, monkeypatch)
    assert done == ["loads"] and store.job(lost.id).heartbeat == lost.heartbeat
    later.close()


def test_jobs_wait_on_where_their_worker_was_held_up_for_long(add, url):
    """A laptop that slept, say: what was heard of with the worker's last beat is not lost."""
    job, clock = add(), Clock()
    later = Store(url, clock=clock)
    since = later.beat_waiting(settings.host(), clock())
    clock.passes(2 * HEARTBEAT_TIMEOUT)
    assert later.beat_waiting(settings.host(), since) > since + HEARTBEAT_TIMEOUT
    assert [one.id for one in queue.waiting_here(later)] == [job.id]
    later.close()


def test_waiting_jobs_are_heard_of_whatever_the_worker_does(store, add, monkeypatch):
    job = add()
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.01)
    with worker._heartbeat_of_waiting_jobs(store):
        wait_until(lambda: store.job(job.id).heartbeat > job.heartbeat)


def test_a_database_that_restarts_does_not_end_it(store, add, done, monkeypatch):
    job, real, answers = add(), store.unfinished_jobs, [StoreError("restarting")] * 2

    def away():
        if answers:
            raise answers.pop()
        return real()

    monkeypatch.setattr(store, "unfinished_jobs", away)
    worker.do_jobs(
        store, os.getppid(), lambda seconds: None, iter([0.0] * 4 + [1.0, worker.IDLE_SECONDS + 1.0]).__next__
    )
    assert done == ["loads", job.id]


def test_jobs_wait_and_are_heard_of_while_something_else_computes(store, add, done, monkeypatch):
    job, computing = add(), FileLock(queue.folder() / ".computing")
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.01)
    with computing:
        worker._do_next(store, job)
        waits = store.job(job.id)
        assert (waits.message, waits.heartbeat > job.heartbeat, done) == (worker.BUSY_MESSAGE, True, [])
    worker._do_next(store, job)
    assert done == [job.id]


def test_of_two_processes_one_does_the_jobs(store, add, url):
    job = add()
    with queue.worker_lock(store):
        assert worker.main(["--db", url]) == 0
    assert store.job(job.id).state == "queued"


def test_a_job_that_was_queued_while_the_process_ended_is_done(store, add, url, monkeypatch):
    turns = []

    def do_jobs(store, app):
        if turns:
            store.cancel(turns[0])
        turns.append(add().id if not turns else "again")

    monkeypatch.setattr(worker, "do_jobs", do_jobs)
    assert worker.main(["--db", url]) == 0
    assert turns[1:] == ["again"]


def test_a_job_that_gave_way_waits_for_its_turn_again(store, add, monkeypatch):
    monkeypatch.setattr(worker, "run", lambda store, job: store.put_back(job))
    job = add()
    worker._do_next(store, job)
    assert [one.id for one in queue.waiting_here(store)] == [job.id]
    assert store.job(job.id).heartbeat


def test_terminated_worker_stores_why_and_leaves_the_others(store, add, url, monkeypatch):
    def terminate(*_):
        raise KeyboardInterrupt  # as the handler of SIGTERM does

    monkeypatch.setattr(worker, "run", terminate)
    job, other = add(), add()
    assert worker.main(["--db", url]) == queue.INTERRUPTED_EXIT_CODE
    assert (store.job(job.id).state, store.job(job.id).error) == ("failed", worker.STOPPED_MESSAGE)
    assert store.job(other.id).state == "queued"


def test_process_without_a_database_says_so(caplog):
    assert worker.main(["--db", "mysql://host/name"]) == 2
    assert "unsupported database 'mysql'" in caplog.text


def test_a_file_has_one_process_however_it_is_spelt(store, url, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    short = Store("sqlite:///fewshot.db")
    assert queue.worker_lock(short).lock_file == queue.worker_lock(store).lock_file
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert queue.worker_lock(short).lock_file != queue.worker_lock(store).lock_file
    short.close()


def test_jobs_of_other_settings_are_another_processs(store, add, monkeypatch):
    add()
    monkeypatch.setenv(settings.MODEL, "llama")
    assert queue.waiting_here(store) == []


def test_an_encoder_is_loaded_again_only_where_it_has_changed(tmp_path, monkeypatch):
    loaded = []
    monkeypatch.setattr(models, "_loaded", {})
    monkeypatch.setattr(models, "load_encoder", lambda name: loaded.append(name) or SimpleNamespace())
    file = tmp_path / "config.json"
    for text in ("{}", "{}", None):
        if text:
            file.write_text(text)
            os.utime(file, (1, 1))
        else:
            os.utime(file, (2, 2))
        models.encoder(str(tmp_path))
    models.encoder("mini")
    assert loaded == [str(tmp_path)] * 2 + ["mini"]
