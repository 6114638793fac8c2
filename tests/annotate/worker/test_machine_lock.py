"""Whose turn it is on a machine."""

import socket
from datetime import timedelta

import pytest
from filelock import FileLock

from annotate.store import StoreError
from annotate.worker import machine_lock, queue


@pytest.fixture
def add(store, make):
    """Queue a job, whose process, if it has one, was heard of some time ago, on this machine or another one."""
    project = make()

    def queued(silent=None, host=socket.gethostname()):
        job = store.add_job(project.id, "train", {})
        if silent is not None:
            with pytest.MonkeyPatch.context() as patch:
                now = store.clock() - silent
                patch.setattr(store, "clock", lambda: now)
                store.beat(job, 0.0, "", host)
        return store.job(job.id)

    return queued


def test_older_jobs_of_this_machine_come_first_unless_their_process_is_dead_or_they_wait_for_a_worker(store, add):
    add(silent=1.1 * queue.SILENT)
    add()
    add(timedelta(0), "another machine")
    jobs = [add(silent=timedelta(0)) for _ in range(2)]
    firsts = [machine_lock._first(store.unfinished_jobs(), job, store.clock()) for job in jobs]
    assert firsts == [True, False]


def test_who_waits_is_heard_of_again_when_the_database_is_back(store, add, monkeypatch):
    job, real, answers, slept = add(timedelta(0)), store.unfinished_jobs, [StoreError("restarting")] * 2, []

    def away():
        if answers:
            raise answers.pop()
        return real()

    monkeypatch.setattr(store, "unfinished_jobs", away)
    with machine_lock.machine_lock(store, job.id, sleep=slept.append) as mine:
        assert mine
    assert slept == [machine_lock.EVERY] * 2
    assert store.job(job.id).host == socket.gethostname()


def test_job_waits_and_is_heard_of_while_something_else_computes(store, add, monkeypatch):
    job, other, heard = add(timedelta(0)), FileLock(queue.folder() / ".computing"), []

    def beat(found, progress, message, host):
        heard.append(message)
        if len(heard) == 3:
            other.release()
        return True

    monkeypatch.setattr(store, "beat", beat)
    with other, machine_lock.machine_lock(store, job.id, every=0.01) as mine:
        assert mine
        assert heard == ["", machine_lock.BUSY, machine_lock.BUSY]


def test_nobody_waits_for_a_job_that_was_stopped(store, add):
    job = add(timedelta(0))
    store.cancel(job.id)
    with machine_lock.machine_lock(store, job.id) as mine:
        assert not mine
