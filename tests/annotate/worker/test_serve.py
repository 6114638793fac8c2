import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import storing
import torch
from waiting import wait_until

from annotate.store.jobs import MAX_ATTEMPTS
from annotate.worker import run, serve


def test_job_of_an_interrupted_worker_goes_on_with_the_next_one(store, make, monkeypatch):
    stops = [KeyboardInterrupt] * MAX_ATTEMPTS

    def work(*given):
        if stops:
            raise stops.pop()

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setitem(run.KINDS, "test", "work_of_test")
    monkeypatch.setitem(sys.modules, "work_of_test", SimpleNamespace(run=work))
    job = storing.add_job(store, make().id, "test", {})
    for state in (*["queued"] * MAX_ATTEMPTS, "done"):
        with pytest.raises(KeyboardInterrupt):
            serve.do_jobs(store, sleep=interrupt)
        assert store.job(job.id).state == state
    assert store.job(job.id).attempts == 1


@pytest.mark.parametrize(
    ("cores", "memory", "device", "asked", "said"),
    [
        (8, 256e9, "cpu", None, "4 at once, 2 cores each"),
        (8, 24e9, "cpu", None, "2 at once, 4 cores each"),
        (1, 2e9, "cpu", None, "1 at once, 1 core"),
        (8, 256e9, "cuda", None, "1 at once, 8 cores"),
        (2, 24e9, "cpu", 3, "3 at once, 1 core each"),
    ],
)
def test_a_worker_takes_as_many_jobs_as_cores_and_memory_allow(monkeypatch, cores, memory, device, asked, said):
    monkeypatch.setattr(torch, "get_num_threads", lambda: cores)
    monkeypatch.setattr("fewshot.experiments.executors.place.available_memory", lambda: memory)
    monkeypatch.setattr("fewshot.training.adapt.resolve_device", lambda: torch.device(device))
    assert str(serve.share(asked)) == said


@pytest.fixture
def working(store, make, url):
    """Start a worker of two jobs at once beside two jobs of each of three projects; wait until two are at it."""
    projects = [make() for _ in range(3)]
    for _ in range(2):
        for project in projects:
            storing.add_job(store, project.id, "slow", {})
    script = Path(__file__).with_name("slow_worker.py")
    worker = subprocess.Popen([sys.executable, script, url, "2"], start_new_session=True)
    yield worker, wait_until(lambda: len(jobs := running(store)) == 2 and all(job.message for job in jobs) and jobs)
    if worker.poll() is None:
        worker.terminate()
        worker.wait()


def running(store):
    return [job for job in store.unfinished_jobs() if job.state == "running"]


@pytest.mark.system
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_jobs_at_once_are_of_different_projects_and_wait_again_when_their_worker_is_stopped(store, working, stop):
    worker, first = working
    assert len({job.pid for job in first} | {worker.pid}) == 3
    assert {job.project_id for job in first} == {1, 2}
    if stop == signal.SIGINT:
        os.killpg(worker.pid, stop)  # as a terminal does
    else:
        worker.send_signal(stop)
    worker.wait()
    wait_until(lambda: not any(Path(f"/proc/{job.pid}").exists() for job in first))
    jobs = [store.job(job.id) for job in first]
    assert [(job.state, job.attempts) for job in jobs] == [("queued", 0)] * 2


@pytest.mark.system
def test_another_process_begins_where_one_is_killed(store, working):
    _, (one, other) = working
    os.kill(one.pid, signal.SIGKILL)
    (third,) = wait_until(lambda: [job for job in running(store) if job.project_id == 3])
    assert store.job(other.id).pid == other.pid != third.pid != one.pid


@pytest.mark.system
def test_a_process_that_has_just_begun_when_its_worker_is_stopped_ends_too(store, monkeypatch):
    """Else each would wait for the other at the end."""
    begin = serve._start_child

    def begin_and_stop(*given):
        begin(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(serve, "_start_child", begin_and_stop)
    with pytest.raises(KeyboardInterrupt):
        serve.serve(store, serve.Share(2, 1))
    left = multiprocessing.active_children()
    for process in left:
        process.kill()
    assert not left
