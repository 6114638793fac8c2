"""Workers that serve a queue: one job after the other, and several at once."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from annotate.store.jobs import ATTEMPTS, SILENT
from annotate.worker import run, serve

pytestmark = pytest.mark.system


@pytest.fixture
def served(store, monkeypatch):
    """Serve the queue until it is empty, with a kind of job that does what a test says."""

    def sleep(seconds):
        raise KeyboardInterrupt

    def until_empty(work):
        monkeypatch.setitem(run.KINDS, "test", "work_of_test")
        monkeypatch.setitem(sys.modules, "work_of_test", SimpleNamespace(run=work))
        monkeypatch.setattr(serve.time, "sleep", sleep)
        with pytest.raises(KeyboardInterrupt):
            serve.do_jobs(store)

    return until_empty


def test_queue_is_served_oldest_first_until_interrupted(store, make, served):
    done, project = [], make()
    for number in range(3):
        store.add_job(project.id, "test", {"n": number})
    served(lambda store, job, *given: done.append(job.args["n"]))
    assert done == [0, 1, 2]


def test_job_of_an_interrupted_worker_goes_on_with_the_next_one(store, make, served):
    stops = [KeyboardInterrupt] * ATTEMPTS

    def work(*given):
        if stops:
            raise stops.pop()

    job = store.add_job(make().id, "test", {})
    for state in (*["queued"] * ATTEMPTS, "done"):
        served(work)
        assert store.job(job.id).state == state
    assert store.job(job.id).attempts == 1


def test_worker_that_starts_after_a_power_cut_goes_on_by_itself(store, make, served, monkeypatch):
    job, now = run.claim(store, store.add_job(make().id, "test", {}).id), store.now()
    served(lambda *given: None)
    assert store.job(job.id).state == "running"  # its worker may be alive
    monkeypatch.setattr(store, "now", lambda: now + 1.1 * SILENT)
    served(lambda *given: None)
    assert (store.job(job.id).state, store.job(job.id).attempts) == ("done", 2)


@pytest.mark.parametrize(
    ("cores", "memory", "device", "asked", "said"),
    [
        (2, 8e9, "cpu", None, "1 at once, 2 cores"),
        (8, 256e9, "cpu", None, "4 at once, 2 cores each"),
        (8, 24e9, "cpu", None, "2 at once, 4 cores each"),
        (1, 2e9, "cpu", None, "1 at once, 1 core"),
        (8, 256e9, "cuda", None, "1 at once, 8 cores"),
        (8, 24e9, "cpu", 3, "3 at once, 2 cores each"),
        (2, 24e9, "cpu", 3, "3 at once, 1 core each"),
    ],
)
def test_a_worker_takes_as_many_jobs_as_cores_and_memory_allow(monkeypatch, cores, memory, device, asked, said):
    monkeypatch.setattr(torch, "get_num_threads", lambda: cores)
    monkeypatch.setattr("fewshot.experiments.machine.memory", lambda: memory)
    monkeypatch.setattr("fewshot.training.adapt.find_device", lambda: torch.device(device))
    assert str(serve.share(asked)) == said


@pytest.fixture
def working(store, make, url):
    """Start a worker of two jobs at once beside two jobs of each of three projects; wait until two are at it.

    One that is told to end while it loads torch dies of that: its job is taken up again when it is silent.
    """
    projects = [make() for _ in range(3)]
    for _ in range(2):
        for project in projects:
            store.add_job(project.id, "slow", {})
    script = Path(__file__).with_name("slow_worker.py")
    worker = subprocess.Popen([sys.executable, script, url, "2"], start_new_session=True)
    yield worker, until(lambda: len(jobs := running(store)) == 2 and all(job.message for job in jobs) and jobs)
    if worker.poll() is None:
        worker.terminate()
        worker.wait(30)


def until(found, seconds=60):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if seen := found():
            return seen
        time.sleep(0.1)
    raise TimeoutError


def running(store):
    return [job for job in store.unfinished_jobs() if job.state == "running"]


def waits_again(store, jobs):
    return all((now.state, now.attempts) == ("queued", 0) for now in (store.job(job.id) for job in jobs))


def ended(jobs):
    return not any(Path(f"/proc/{job.pid}").exists() for job in jobs)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_jobs_at_once_are_of_different_projects_and_wait_again_when_their_worker_is_stopped(store, working, stop):
    worker, first = working
    assert len({job.pid for job in first} | {worker.pid}) == 3
    assert [job.project_id for job in first] == [1, 2]
    if stop == signal.SIGINT:
        os.killpg(worker.pid, stop)  # as a terminal does
    else:
        worker.send_signal(stop)
    worker.wait(30)
    until(lambda: waits_again(store, first) and ended(first))


def test_another_process_begins_where_one_is_killed(store, working):
    _, (one, other) = working
    os.kill(one.pid, signal.SIGKILL)
    third = until(lambda: [job for job in running(store) if job.project_id == 3])
    assert store.job(other.id).pid == other.pid != third[0].pid != one.pid


def test_a_process_that_has_just_begun_when_its_worker_is_stopped_ends_too(store, monkeypatch):
    """Else each would wait for the other at the end."""
    begin = serve._begin

    def stopped(*given):
        begin(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(serve, "_begin", stopped)
    with pytest.raises(KeyboardInterrupt):
        serve.serve(store, serve.Share(2, 1))
    left = multiprocessing.active_children()
    for process in left:
        process.kill()
    assert not left
