"""What becomes of a job: done, failed with one line, cancelled; and its heartbeat."""

import sys
import threading
from types import SimpleNamespace

import pytest

from annotate.store import StoreError
from fewshot.errors import FewshotError
from fewshot.jobs import pulse, run


@pytest.fixture
def job(store, make, monkeypatch):
    """Queue and claim a job that does what a test says."""

    def claimed(work):
        monkeypatch.setitem(run.KINDS, "test", "work_of_test")
        monkeypatch.setitem(sys.modules, "work_of_test", SimpleNamespace(run=work))
        return run.claim(store, store.add_job(make().id, "test", {}).id)

    return claimed


def end(store, job):
    run.run(store, job)
    return store.job(job.id)


def test_job_that_ends_is_done(store, job):
    ended = end(store, job(lambda store, job, report: report(0.5, "half")))
    assert (ended.state, ended.progress, ended.error) == ("done", 1.0, None)


def test_bad_input_is_the_error_of_the_job_on_one_line(store, job, caplog):
    def work(store, job, report):
        raise FewshotError("no model here;\n  train one")

    ended = end(store, job(work))
    assert (ended.state, ended.error) == ("failed", "no model here; train one")
    assert "Traceback" in caplog.text


def test_crash_is_one_line_and_its_traceback_goes_to_the_log(store, job, caplog):
    def work(store, job, report):
        return [1, 2][7]

    ended = end(store, job(work))
    assert ended.state == "failed"
    assert "IndexError: list index out of range" in ended.error
    assert "\n" not in ended.error and "Traceback" not in ended.error
    assert "Traceback" in caplog.text


def test_unknown_kind_fails(store, make):
    made = store.add_job(make().id, "dance", {})
    ended = end(store, run.claim(store, made.id))
    assert ended.error == "this version knows no job 'dance'; it knows draw, simulate, suggest, train"


def test_interrupted_worker_says_so(store, job):
    def work(store, job, report):
        raise KeyboardInterrupt

    claimed = job(work)
    with pytest.raises(KeyboardInterrupt):
        run.run(store, claimed)
    assert (store.job(claimed.id).state, store.job(claimed.id).error) == ("failed", run.STOPPED)


@pytest.mark.parametrize("way", ["cancel", "finish"])
def test_job_that_is_cancelled_or_given_up_stops_and_stays_so(store, job, monkeypatch, way):
    monkeypatch.setattr(pulse.Pulse.__init__, "__defaults__", (0.01,))
    seen = []

    def work(store, job, report):
        store.cancel(job.id) if way == "cancel" else store.finish(job.id, error="the worker stopped")
        for step in range(1000):
            seen.append(step)
            report(step / 1000, "")
            threading.Event().wait(0.01)

    ended = end(store, job(work))
    assert ended.state == {"cancel": "cancelled", "finish": "failed"}[way]
    assert len(seen) < 500


def test_beats_store_progress_even_after_the_database_was_away(store, job, monkeypatch):
    monkeypatch.setattr(pulse.Pulse.__init__, "__defaults__", (0.01,))
    beats = iter([StoreError("locked"), StoreError("locked")])
    real, beaten = store.beat, threading.Event()

    def beat(*args, **kwargs):
        error = next(beats, None)
        if error:
            raise error
        real(*args, **kwargs)
        beaten.set()

    monkeypatch.setattr(store, "beat", beat)

    def work(store, job, report):
        report(0.25, "a quarter")
        assert beaten.wait(20)
        now = store.job(job.id)
        assert (now.progress, now.message) == (0.25, "a quarter")
        assert now.heartbeat > now.started

    assert end(store, job(work)).error is None


def test_job_of_another_worker_is_left_alone(store, job):
    claimed = job(lambda store, job, report: None)
    assert run.claim(store, claimed.id) is None
    assert run.claim(store) is None


def test_queue_is_served_oldest_first_until_interrupted(store, make, monkeypatch):
    done = []

    def work(store, job, report):
        done.append(job.args["n"])

    def sleep(seconds):
        raise KeyboardInterrupt

    monkeypatch.setitem(run.KINDS, "test", "work_of_test")
    monkeypatch.setitem(sys.modules, "work_of_test", SimpleNamespace(run=work))
    monkeypatch.setattr(run.time, "sleep", sleep)
    project = make()
    for number in range(3):
        store.add_job(project.id, "test", {"n": number})
    with pytest.raises(KeyboardInterrupt):
        run.serve(store)
    assert done == [0, 1, 2]
