"""The job that lets a model read the pool and draws a round by what it says."""

from datetime import UTC, datetime, timedelta

import pytest

import samplers
from annotate.rounds.draw import candidates
from annotate.worker import draw, run
from annotate.worker.heartbeat import Unwanted
from fewshot import tasks
from fewshot.evaluation import signals
from fewshot.experiments.executors.place import this_machine
from fewshot.training.model import load_model

CPU = this_machine("cpu")


def test_a_round_is_what_the_sampler_picks_of_what_is_not_drawn_yet(store, make, model_folder, monkeypatch):
    started = []
    monkeypatch.setattr("annotate.worker.queue.start", lambda store, project, kind, args: started.append(kind))
    project = make()
    left = candidates(store, project, "pool")
    from annotate.editing import content

    texts = [content.from_json(row.content) for row in store.examples(project.id, ids=[one.id for one in left])]
    known = signals(load_model(model_folder), texts, samplers.get("entropy").needs)
    expected = [one.id for one in samplers.pick("entropy", left, 2, 5, known)]
    args = {"sampler": "entropy", "k": 2, "seed": 5, "model": str(model_folder), "device": "cpu"}
    job = store.add_job(project.id, "draw", args)
    assert run.run(store, run.claim(store, job.id)), store.job(job.id).error
    drawn = store.rounds(project.id)[-1]
    assert (drawn.sampler, drawn.k) == ("entropy", 2)
    items = store.items(project.id, round_id=drawn.id)
    assert list(dict.fromkeys(item.example_id for item in items)) == expected
    assert set(started) == {"suggest"}
    started.clear()
    job = store.add_job(project.id, "draw", args | {"k": 1, "suggest": False})
    assert run.run(store, run.claim(store, job.id)), store.job(job.id).error
    assert started == []


def test_a_round_is_drawn_once_whatever_happens_to_its_worker(store, make, model_folder, monkeypatch):
    started = []
    monkeypatch.setattr("annotate.worker.queue.start", lambda store, project, kind, args: started.append(kind))
    ahead = timedelta(minutes=5)  # of this machine's clock is that of the database
    monkeypatch.setattr(store, "clock", lambda: datetime.now(UTC) + ahead)
    project = make()
    args = {"sampler": "entropy", "k": 2, "seed": 5, "model": str(model_folder), "device": "cpu"}
    first = run.claim(store, store.add_job(project.id, "draw", args).id)
    draw.run(store, first, lambda *told: None, CPU)
    store.put_back(first)  # stopped before it could say that it is done
    assert run.run(store, run.claim(store, first.id))
    assert [drawn.sampler for drawn in store.rounds(project.id)] == ["random", "entropy"]
    assert started == ["suggest", "suggest"]
    assert run.run(store, run.claim(store, store.add_job(project.id, "draw", args | {"k": 1}).id))
    assert [drawn.k for drawn in store.rounds(project.id)] == [7, 2, 1]


def test_a_job_that_is_not_wanted_any_more_draws_nothing(store, make, model_folder):
    project = make()
    args = {"sampler": "entropy", "k": 2, "seed": 5, "model": str(model_folder), "device": "cpu"}
    job = run.claim(store, store.add_job(project.id, "draw", args).id)

    def stopped(now):
        if now.doing == "drawing":
            raise Unwanted

    with pytest.raises(Unwanted):
        draw.run(store, job, stopped, CPU)
    assert len(store.rounds(project.id)) == 1


def test_times_are_fitted_for_a_sampler_that_asks_for_minutes_alone(store, make, model_folder, monkeypatch):
    monkeypatch.setattr("annotate.worker.queue.start", lambda *args: None)
    monkeypatch.setattr(draw.time_model, "fit", None)  # would fail
    args = {"sampler": "entropy", "k": 2, "seed": 5, "model": str(model_folder), "device": "cpu"}
    job = store.add_job(make().id, "draw", args)
    assert run.run(store, run.claim(store, job.id)), store.job(job.id).error


def test_minutes_are_predicted_by_what_annotation_took_here(store, make, model_folder, monkeypatch):
    monkeypatch.setattr("annotate.worker.queue.start", lambda *args: None)
    project, said = make(), []
    real = signals.__globals__["signals"]
    monkeypatch.setattr(
        "annotate.worker.draw.signals", lambda *given, seconds: said.append(seconds) or real(*given, seconds=seconds)
    )

    def drawn(seed):
        args = {"sampler": "cost-aware", "k": 1, "seed": seed, "model": str(model_folder), "device": "cpu"}
        job = store.add_job(project.id, "draw", args)
        assert run.run(store, run.claim(store, job.id)), store.job(job.id).error

    drawn(0)
    for item in store.items(project.id)[:6]:
        length = next(store.examples(project.id, ids=[item.example_id])).length
        store.save(item.id, "ana", "page", 1, {"upos": ["X"] * length}, True, 30.0 * length, 1)
    drawn(1)
    published, measured = said
    assert published == pytest.approx(tasks.get("pos").time.seconds)
    assert measured[1] > 3 * published[1]
