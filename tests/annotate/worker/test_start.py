import os
import signal
from types import SimpleNamespace

import pytest
from serving import without_torch
from waiting import wait_until

from annotate.worker import __main__ as worker
from annotate.worker import queue, run


@pytest.fixture
def quiet(monkeypatch):
    """Start no processes; return the commands of those that would have been."""
    started = []

    def popen(command, **options):
        started.append(command)
        return SimpleNamespace(pid=0, wait=lambda: 0)

    monkeypatch.setattr(queue.subprocess, "Popen", popen)
    return started


@pytest.mark.parametrize("claimed", [True, False])
@pytest.mark.parametrize(
    ("code", "error"),
    [
        (0, None),
        (queue.INTERRUPTED_EXIT_CODE, None),
        (1, "the worker ended unexpectedly (1)"),
        (-15, "the worker ended unexpectedly (signal 15)"),
        (-9, queue.KILLED),
    ],
)
def test_what_a_process_leaves_behind_fails_and_the_others_get_another(store, make, quiet, code, error, claimed):
    """One that has not come as far as a job fails all that wait: the next one would come no further."""
    jobs = [queue.start(store, make().id, "suggest", {}) for _ in range(2)]
    if claimed:
        run.claim(store, jobs[0].id)
        error = error or (code and f"the worker ended unexpectedly ({code})")
    quiet.clear()
    queue._watch(store, SimpleNamespace(pid=os.getpid(), wait=lambda: code))
    assert [store.job(job.id).error for job in jobs] == [error or None, None if claimed else error]
    assert len(quiet) == (code != 0 and (claimed or code == queue.INTERRUPTED_EXIT_CODE))


def test_worker_that_cannot_be_started_fails_the_job(store, make, monkeypatch):
    def popen(*_, **__):
        raise FileNotFoundError(2, "No such file or directory", "/nowhere/python")

    monkeypatch.setattr(queue.subprocess, "Popen", popen)
    job = queue.start(store, make().id, "suggest", {})
    assert job.state == "failed"
    assert "/nowhere/python" in job.error


def test_password_of_the_database_is_not_among_the_arguments_of_the_process(store, make, monkeypatch):
    started = []
    monkeypatch.setattr(queue.subprocess, "Popen", lambda command, **options: started.append((command, options)))
    monkeypatch.setattr(queue, "_watch", lambda *args: None)
    monkeypatch.setattr(store, "clock", store.now)
    store.url = store.url.set(drivername="postgresql+psycopg", username="ada", password="secret", host="h")
    queue.start(store, make().id, "suggest", {})
    ((command, options),) = started
    assert command[1:] == ["-P", "-m", "annotate.worker"]
    assert "ada:secret@h" in options["env"]["FEWSHOT_DB_URL"]
    assert options["start_new_session"]


def test_second_click_adds_no_second_job(store, make, quiet):
    """There may be more to suggest than when a job began."""
    args = {"task": "pos"}
    for kind, again in (("train", False), ("suggest", True)):
        project = make()
        quiet.clear()
        first = queue.start(store, project.id, kind, args)
        assert queue.start(store, project.id, kind, args) is None
        assert len(quiet) == 1
        run.claim(store, first.id)
        assert (queue.start(store, project.id, kind, args) is not None) == again


@pytest.mark.parametrize("state", ["left", "queued", "running"])
def test_one_click_starts_or_goes_on_with_a_job_that_has_no_process(store, make, quiet, monkeypatch, state):
    project, job = make(), ("train", {"task": "pos"})
    monkeypatch.setenv(queue.JOBS_ELSEWHERE, "1" if state == "left" else "")
    first = queue.start(store, project.id, *job)
    assert ((first.heartbeat is None), len(quiet)) == ((True, 0) if state == "left" else (False, 1))
    if state == "running":
        run.claim(store, first.id)
    if state != "left":
        monkeypatch.setattr(queue, "is_stale", lambda job, now=None: True)
    monkeypatch.delenv(queue.JOBS_ELSEWHERE)
    before = len(quiet)
    again = queue.start(store, project.id, *job)
    assert (again.id, again.state, len(quiet)) == (first.id, "queued", before + 1)
    assert again.heartbeat is not None and again.heartbeat != first.heartbeat


@pytest.fixture
def pipe(tmp_path, monkeypatch):
    """A pipe at which jobs stop: whoever opens it knows that one has come that far."""
    for name, value in without_torch(tmp_path).items():
        monkeypatch.setenv(name, value)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.mark.system
def test_jobs_are_done_one_after_the_other_whatever_becomes_of_their_processes(store, make, pipe):
    other = pipe.with_name("other")  # a job may come to its pipe while the test still holds that of the job before
    os.mkfifo(other)
    stops = [str(pipe)], [str(pipe)], [str(other)], []
    killed, cancelled, terminated, done = (queue.start(store, make().id, "test", {"pipes": at}) for at in stops)
    store.cancel(cancelled.id)
    for job, stop, sent in ((killed, pipe, signal.SIGKILL), (terminated, other, signal.SIGTERM)):
        with stop.open("wb"):  # as soon as the process is at work
            now = store.job(job.id)
            assert now.state == "running" and now.pid != os.getpid()
            os.kill(now.pid, sent)
            wait_until(lambda job=job: store.job(job.id).state == "failed")
    ended = wait_until(lambda: (now := store.job(done.id)).state in ("done", "failed") and now)
    assert ended.error is None
    assert [store.job(job.id).error for job in (killed, terminated)] == [queue.KILLED, worker.STOPPED_MESSAGE]
    assert store.job(terminated.id).ended <= ended.started
    assert store.job(cancelled.id).started is None
    assert "done" in queue.log_file(done.id).read_text()
