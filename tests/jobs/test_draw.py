"""The job that lets a model read the pool and draws a round by what it says."""

import samplers
from annotate import rounds
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
