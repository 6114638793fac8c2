"""The job that lets a model read the pool and draws a round by what it says."""

import pytest

import samplers
from annotate import rounds
from fewshot.costs import time_model
from fewshot.evaluation import signals
from fewshot.jobs import run
from fewshot.training.model import load


def test_a_round_is_what_the_sampler_picks_of_what_is_not_drawn_yet(store, make, model_folder, monkeypatch):
    started = []
    monkeypatch.setattr("annotate.jobs.start", lambda store, project, kind, args: started.append(kind))
    project = make()
    left = rounds.candidates(store, project, "pool")
    from annotate import content

    texts = [content.from_json(row.content) for row in store.examples(project.id, ids=[one.id for one in left])]
    known = signals(load(model_folder), texts, samplers.get("entropy").needs)
    expected = [one.id for one in samplers.pick("entropy", left, 2, 5, known)]
    args = {"sampler": "entropy", "k": 2, "seed": 5, "model": str(model_folder), "device": "cpu"}
    job = store.add_job(project.id, "draw", args)
    assert run.run(store, run.claim(store, job.id)), store.job(job.id).error
    drawn = store.batches(project.id)[-1]
    assert (drawn.sampler, drawn.k) == ("entropy", 2)
    items = store.items(project.id, batch_id=drawn.id)
    assert list(dict.fromkeys(item.example_id for item in items)) == expected
    assert set(started) == {"suggest"}
    started.clear()
    job = store.add_job(project.id, "draw", args | {"k": 1, "suggest": False})
    assert run.run(store, run.claim(store, job.id)), store.job(job.id).error
    assert started == []


def test_minutes_are_predicted_by_what_annotation_took_here(store, make, model_folder, monkeypatch):
    monkeypatch.setattr("annotate.jobs.start", lambda *args: None)
    project, said = make(), []
    real = signals.__globals__["signals"]
    monkeypatch.setattr(
        "fewshot.jobs.draw.signals", lambda *given, seconds: said.append(seconds) or real(*given, seconds=seconds)
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
    assert published == pytest.approx(time_model.load("pos").seconds)
    assert measured[1] > 3 * published[1]
