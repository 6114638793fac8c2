import sys
import threading
from functools import partial
from types import SimpleNamespace

import pytest
import storing
import torch
from making import result
from waiting import wait_until

from annotate.exchange import deletion
from annotate.store import StoreError
from annotate.worker import files, heartbeat, run
from annotate.worker.progress import JobProgress
from fewshot.errors import FewshotError
from fewshot.progress import Progress


@pytest.fixture
def job(store, make, monkeypatch):
    def claimed(work):
        monkeypatch.setitem(run.KINDS, "test", "work_of_test")
        monkeypatch.setitem(sys.modules, "work_of_test", SimpleNamespace(run=work))
        return run.claim(store, storing.add_job(store, make().id, "test", {}).id)

    return claimed


@pytest.fixture
def beats_often(monkeypatch):
    monkeypatch.setattr(run, "Heartbeat", partial(heartbeat.Heartbeat, every=0.01))


def end(store, job):
    run.run(store, job)
    return store.job(job.id)


def test_an_error_is_one_line_and_its_traceback_goes_to_the_log(store, make, job, caplog):
    for error, said in (
        (FewshotError("no model here;\n  train one"), "no model here; train one"),
        (IndexError("list index out of range"), "IndexError: list index out of range"),
    ):

        def work(*given, error=error):
            raise error

        caplog.clear()
        ended = end(store, job(work))
        assert ended.state == "failed"
        assert said in ended.error
        assert "\n" not in ended.error and "Traceback" not in ended.error
        assert "Traceback" in caplog.text
    unknown = end(store, run.claim(store, storing.add_job(store, make().id, "dance", {}).id))
    assert unknown.error.startswith("unknown kind of job 'dance'; this version has ask, cross_check, draw, learn,")


@pytest.mark.parametrize("way", ["cancelled", "failed", "queued"])
def test_job_that_is_cancelled_or_given_up_or_put_back_stops_and_stays_so(store, job, beats_often, way):
    def back(job_id):
        store.put_back(store.job(job_id))

    def work(store, job, report, place):
        ends = {"cancelled": store.cancel, "failed": lambda _: store.finish(job, error="x"), "queued": back}
        ends[way](job.id)
        with pytest.raises(run.JobCancelled) as stopped:
            wait_until(lambda: report(Progress(1, 1000)))  # until the next beat ends it
        raise stopped.value

    ended = end(store, job(work))
    assert (ended.state, ended.error) == (way, "x" if way == "failed" else None)


def test_a_job_whose_project_is_deleted_ends_and_leaves_no_file(store, make, job, beats_often, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def work(store, job, report, place):
        gone = store.project(job.project_id)
        deletion.delete(store, gone)
        folder = files.training(gone) / "pos"
        folder.mkdir(parents=True)
        (folder / "results.jsonl").write_text("voy al mar")
        with pytest.raises(StoreError, match="contradicts"):
            store.add_results(gone.id, "pos", [result(0, 50.0)])
        make(name="new")
        wait_until(lambda: report(Progress(1, 1000)))

    started = job(work)
    assert not run.run(store, started)
    (new,) = store.projects()
    assert (new.id, new.name) == (started.project_id, "new"), "SQLite gives an id again"
    assert store.results(new.id, "pos") == [] and list((tmp_path / "data").rglob("results.jsonl")) == []


def test_a_cancelled_job_of_a_deleted_project_ends_though_a_file_cannot_be_removed(store, job, monkeypatch):
    def remove(*_):
        raise FewshotError("results.jsonl: Permission denied")

    def work(store, job, report, place):
        store.delete_project(job.project_id)
        raise heartbeat.JobCancelled

    monkeypatch.setattr(files, "remove", remove)
    failed = []
    monkeypatch.setattr(run, "_failed", lambda *given: failed.append(given))
    assert run.run(store, job(work)) is False
    assert failed == []


def test_beats_store_progress_even_after_the_database_was_away(store, job, beats_often, monkeypatch):
    beats = iter([StoreError("locked"), StoreError("locked")])
    real, beaten = store.beat, threading.Event()

    def beat(*args, **kwargs):
        error = next(beats, None)
        if error:
            raise error
        real(*args, **kwargs)
        beaten.set()

    monkeypatch.setattr(store, "beat", beat)

    def work(store, job, report, place):
        report(Progress(1, 4, "a quarter"))
        assert beaten.wait(20)
        now = store.job(job.id)
        assert (now.progress, now.message) == (0.25, "a quarter")
        assert now.heartbeat > now.started

    assert end(store, job(work)).error is None


def test_time_left_is_that_of_the_whole_job_and_loss_is_read_once_a_second(store, job):
    passed = 100.0
    claimed = job(None)
    assert run.claim(store, claimed.id) is run.claim(store) is None, "it is another worker's"

    def said(seconds, now):
        nonlocal passed
        passed = 100.0 + seconds
        beating.report(now)
        return beating.message

    beating = heartbeat.Heartbeat(store, claimed, clock=lambda: passed)
    for seconds, share, kept, message in (
        (0, 0.0, 0.0, "at it"),
        (1, 0.5, 0.0, "at it"),  # too early to tell
        (10, 0.2, 0.0, "at it, 40 s left"),
        (10, 0.6, 0.5, "at it, 40 s left"),  # half of it was there already
        (10, 0.01, 0.0, "at it, 16 min left"),
        (10, 1.0, 0.0, "at it"),
    ):
        assert said(seconds, Progress(share, 1, "at it", kept=kept)) == message
    beating = heartbeat.Heartbeat(store, claimed, clock=lambda: passed)
    for update, seconds, loss in ((1, 0.0, "1.000"), (2, 0.9, "1.000"), (3, 1.1, "0.333")):
        assert said(seconds, Progress(update, 10, "seed 1", torch.tensor(1.0 / update))) == f"seed 1, loss {loss}"


def test_bar_covers_all_experiments_and_what_was_there_before_takes_no_time():
    told, experiment = [], SimpleNamespace(updates=lambda: {"zero-shot": 1, "shots": 9})
    progress = JobProgress(told.append)
    progress.begin_task([experiment, experiment])
    for number in range(2):
        say = progress.during(f"pos, part {number + 1}", experiment)
        say(Progress(1, 10, "zero-shot"))
        for update in range(1, 10):
            say(Progress(1 + update, 10, "seed 1", torch.tensor(0.5), kept=10 * number))
    shares = [now.share for now in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[9], shares[-1]) == pytest.approx((0.05, 0.5, 1.0))
    assert told[0].doing == "pos, part 1, zero-shot"
    assert (told[-1].doing, told[-1].loss, told[-1].kept) == ("pos, part 2, seed 1", 0.5, 0.5)
