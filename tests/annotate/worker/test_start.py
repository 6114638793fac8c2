"""Jobs as the app starts them, each in a process that it may outlive or lose."""

import os
import shutil
import signal
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
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


@pytest.mark.parametrize(
    ("state", "code", "error"),
    [
        ("queued", 1, "the worker ended unexpectedly (1)"),
        ("running", 0, None),
        ("running", -15, "the worker ended unexpectedly (signal 15)"),
        ("running", -9, queue.KILLED),
        ("another's", -9, None),
    ],
)
def test_job_of_a_process_that_could_not_store_its_end_has_failed(store, make, state, code, error):
    job = store.add_job(make().id, "suggest", {})
    if state != "queued":
        job = run.claim(store, job.id)
    pid = os.getpid() + (state == "another's")
    queue._watch(store, job, SimpleNamespace(pid=pid, wait=lambda: code))
    assert store.job(job.id).error == error
    assert (store.job(job.id).state == "failed") == bool(error)


def test_terminated_worker_stores_why_and_one_whose_job_does_not_wait_ends_well(store, make, url, monkeypatch, caplog):
    def terminate(*_):
        raise KeyboardInterrupt  # as the handler of SIGTERM does

    monkeypatch.setattr(worker, "run", terminate)
    terminated, cancelled = (store.add_job(make().id, "suggest", {}).id for _ in range(2))
    store.cancel(cancelled)
    assert worker.main([str(terminated), "--db", url]) == worker.INTERRUPTED
    assert (store.job(terminated).state, store.job(terminated).error) == ("failed", worker.STOPPED)
    assert worker.main([str(cancelled), "--db", url]) == 0
    assert store.job(cancelled).state == "cancelled"
    for over in (terminated, cancelled):
        assert not queue.stale(store.job(over), datetime.now(UTC) + timedelta(days=9))
    assert worker.main(["1", "--db", "mysql://host/name"]) == 2
    assert "no database of kind 'mysql' here" in caplog.text


def test_a_process_whose_job_gave_way_waits_for_its_turn_again(store, make, url, monkeypatch):
    monkeypatch.setattr(worker, "run", lambda store, job: store.put_back(job))
    job = store.add_job(make().id, "suggest", {})
    store.clock = lambda: job.created + timedelta(hours=1)
    for _ in range(2):
        assert worker.main([str(job.id), "--db", url]) == worker.AGAIN
        assert not queue.stale(store.job(job.id), store.now())


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
    job = queue.start(store, make().id, "suggest", {})
    ((command, options),) = started
    assert command[1:] == ["-P", "-m", "annotate.worker", str(job.id)]
    assert "ada:secret@h" in options["env"]["FEWSHOT_DB_URL"]
    assert options["start_new_session"]


@pytest.mark.parametrize("kind", ["train", "suggest"])
def test_second_click_adds_no_second_job(store, make, quiet, kind):
    project = make()
    first = queue.start(store, project.id, kind, {"task": "pos"})
    assert queue.start(store, project.id, kind, {"task": "pos"}) is None
    assert queue.start(store, project.id, kind, {"task": "dep"}).id != first.id
    assert queue.start(store, make().id, kind, {"task": "pos"}).id != first.id
    assert len(quiet) == 3
    run.claim(store, first.id)
    again = queue.start(store, project.id, kind, {"task": "pos"})
    assert (again is not None) == (kind == "suggest")  # there may be more to suggest than when it began


@pytest.mark.parametrize("state", ["left", "queued", "running"])
def test_one_click_starts_or_goes_on_with_a_job_that_has_no_process(store, make, quiet, monkeypatch, state):
    project, job = make(), ("train", {"task": "pos"})
    monkeypatch.setenv(queue.ELSEWHERE, "1" if state == "left" else "")
    first = queue.start(store, project.id, *job)
    assert ((first.heartbeat is None), len(quiet)) == ((True, 0) if state == "left" else (False, 1))
    if state == "running":
        run.claim(store, first.id)
    if state != "left":
        monkeypatch.setattr(queue, "stale", lambda job, now=None: True)
    monkeypatch.delenv(queue.ELSEWHERE)
    before = len(quiet)
    again = queue.start(store, project.id, *job)
    assert (again.id, again.state, len(quiet)) == (first.id, "queued", before + 1)
    assert again.heartbeat is not None and again.heartbeat != first.heartbeat


@pytest.fixture
def stuck_model(model_folder, tmp_path):
    """A copy of the model whose description is a pipe: who loads it waits, and whoever opens the pipe knows that."""
    folder = shutil.copytree(model_folder, tmp_path / "stuck")
    description = folder / "model.json"
    description.unlink()
    os.mkfifo(description)
    return folder, description


@pytest.mark.system
def test_jobs_compute_one_after_the_other_whatever_becomes_of_their_processes(store, make, model_folder, stuck_model):
    stuck, pipe = stuck_model
    project = make()
    begun = [
        queue.start(store, place.id, "suggest", {"model": str(folder), "device": "cpu"})
        for place, folder in ((project, stuck), (make(), stuck), (make(), stuck), (project, model_folder))
    ]
    killed, cancelled, terminated, done = begun
    store.cancel(cancelled.id)
    for job, sent in ((killed, signal.SIGKILL), (terminated, signal.SIGTERM)):
        with pipe.open("wb"):  # as soon as the process loads the model
            now = store.job(job.id)
            assert now.state == "running" and now.pid != os.getpid()
            os.kill(now.pid, sent)
            wait_until(lambda job=job: store.job(job.id).state == "failed")
    ended = wait_until(lambda: (now := store.job(done.id)).state in ("done", "failed") and now)
    assert ended.error is None
    assert [store.job(job.id).error for job in (killed, terminated)] == [queue.KILLED, worker.STOPPED]
    assert store.job(terminated.id).ended <= ended.started
    assert store.job(cancelled.id).started is None
    assert len(store.suggestions_of(project.id, "pos")) == 7
    assert "done" in queue.log_file(done.id).read_text()
