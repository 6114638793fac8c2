from datetime import timedelta
from types import SimpleNamespace

import pytest
import storing
import torch
from storing import Clock, annotate, run_job

import samplers
from annotate.editing import content, session
from annotate.rounds import curve
from annotate.rounds.training_data import training_data
from annotate.store import Store
from annotate.worker import learn, queue, run
from annotate.worker.train import make_trainer
from fewshot import evaluation, tasks
from fewshot.experiments import trainer
from fewshot.experiments.executors.place import this_machine

LABELS = {"pos": list(tasks.get("pos").labels)}
SPAN = timedelta(seconds=10)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(url, clock):
    made = Store(url, clock=clock)
    yield made
    made.close()


@pytest.fixture
def project(store, make, encoder_folder, model_folder, monkeypatch):
    """Seven sentences with suggestions of an old model: two are finished, the third is open."""
    monkeypatch.setattr("fewshot.training.sources.user_dir", lambda: model_folder.parent)
    monkeypatch.setattr(learn, "MIN_SHOTS", 2)
    made = make(encoder=str(encoder_folder), labels=LABELS, learns=True)
    items = store.items(made.id)
    empty = {"annotation": {"upos": []}}
    store.add_suggestions([(item.example_id, "pos", "pos old 1", empty) for item in items])
    for item in items[:2]:
        annotate(store, made, item, tag="X")
    assert store.claim(items[2].id, "ana")
    return made


@pytest.fixture
def learned(store):
    """Run a learning; return how it ended and the models that suggest for each item, in order."""

    def go(project):
        job = run_job(store, project, "learn", task="pos", updates=2)
        found = store.suggestions_of(project.id, "pos")
        return job, [found[item.example_id].model for item in store.items(project.id)]

    return go


def test_when_a_learning_is_asked_for(store, make, clock, monkeypatch):
    """Not beside a training or itself, and only once as much time has passed as the last one took."""
    started = []
    monkeypatch.setattr(queue, "start", lambda store, project, kind, args: started.append((kind, args)))
    for case in (
        ({"learns": False}, None, "pos", "", 0, False),
        ({"suggester": "llm"}, None, "pos", "", 0, False),
        ({"suggester": "both"}, None, "pos", "", 0, True),
        ({}, "train", "dep", "queued", 0, False),
        ({}, "train", "dep", "done", 0, True),
        ({}, "suggest", "pos", "running", 0, True),
        ({}, "learn", "pos", "running", 0, False),
        ({}, "learn", "dep", "running", 0, True),
        ({}, "learn", "pos", "failed", 0.9, False),
        ({}, "learn", "pos", "done", 1.1, True),
        ({}, "learn", "dep", "done", 0.9, True),
    ):
        changes, kind, task, state, passed, asked = case
        project = make(tasks=("pos", "dep"), **{"learns": True} | changes)
        if kind:
            job = storing.add_job(store, project.id, kind, {"task": task})
            if state != "queued":
                job = store.claim_job("here", 1, job.id)
            if state in ("done", "failed"):
                clock.passes(SPAN)
                store.finish(job, error="x" if state == "failed" else None)
        clock.passes(passed * SPAN)
        started.clear()
        queue.learn(store, project, "pos")
        assert started == ([("learn", {"task": "pos"})] if asked else []), case


def test_what_nobody_has_opened_gets_suggestions_of_a_model_that_has_learned(store, project, learned, monkeypatch):
    threads = []
    monkeypatch.setattr(torch, "get_num_threads", lambda: 8)
    monkeypatch.setattr(torch, "set_num_threads", threads.append)
    job, models = learned(project)
    assert (job.state, job.error, threads) == ("done", "learned from 2", [4, 8])
    assert models[:3] == ["pos old 1"] * 3
    assert len(set(models[3:])) == 1 and models[3] != "pos old 1"
    assert queue.last_learning(store, project.id, "pos") == (2, job.ended)

    data, place = training_data(store, project, "pos"), this_machine("cpu")
    made, _ = make_trainer(store, project, "pos", job, place, lambda now: None)
    model = made.train(samplers.pick("random", data.shots, 2, 0), 0)
    *_, shown, _, _, blind = store.items(project.id)
    (row,) = store.examples(project.id, ids=[shown.example_id])
    (expected,), given = (
        evaluation.suggest(model, [content.from_json(row.content)]),
        store.suggestion(shown.example_id, "pos"),
    )
    assert given.data["annotation"] == expected["annotation"]
    mine, theirs = ([each[0][1] for each in one["upos_ranked"]] for one in (given.data, expected))
    assert mine == pytest.approx(theirs, abs=2e-3)  # sums of other batches end in other digits
    assert session.open_item(store, project, shown).suggestion is not None
    assert session.open_item(store, project, blind).suggestion is None

    with monkeypatch.context() as patch:
        patch.setattr(trainer, "adapt", None)  # would fail
        assert learned(project)[1] == models
    annotate(store, project, store.items(project.id)[2], tag="X")
    again, later = learned(project)
    assert again.error == "learned from 3"
    assert later[:3] == ["pos old 1"] * 3 and models[3] not in later
    assert [one.id for one in store.jobs(project.id)] == [again.id]
    assert not queue.log_file(job.id).exists()


def test_a_learning_needs_enough_examples_and_clearly_more_than_the_last_training_had(project, learned, monkeypatch):
    nothing = ("done", None, {"pos old 1"})
    with monkeypatch.context() as patch:
        patch.setattr(learn, "MIN_SHOTS", 3)
        job, models = learned(project)
        assert (job.state, job.error, set(models)) == nothing
    monkeypatch.setattr(curve, "scores", lambda *args: [SimpleNamespace(k=2)])
    job, models = learned(project)
    assert (job.state, job.error, set(models)) == nothing
    monkeypatch.setattr(curve, "scores", lambda *args: [SimpleNamespace(k=1)])
    assert learned(project)[0].error == "learned from 2"


def test_a_round_without_suggestions_gets_none(store, make, project, encoder_folder):
    bare = make(encoder=str(encoder_folder), labels=LABELS, learns=True)
    for item in store.items(bare.id)[:2]:
        annotate(store, bare, item, tag="X")
    assert run_job(store, bare, "learn", task="pos", updates=2).error is None
    assert store.suggestions_of(bare.id, "pos") == {}


def test_what_is_switched_off_meanwhile_suggests_nothing(store, project, learned, monkeypatch):
    def suggested(model, examples):
        store.update_project(project.id, learns=False)
        return evaluation.suggest(model, examples)

    monkeypatch.setattr(learn, "suggest", suggested)
    job, models = learned(project)
    assert (job.error, set(models)) == (None, {"pos old 1"})


def test_each_person_gets_suggestions_for_what_comes_next_and_is_told_of_the_learning_until_they_train(
    store, project, learned, monkeypatch
):
    monkeypatch.setattr(learn, "ITEMS_AHEAD", 2)
    job, models = learned(project)
    assert [model == "pos old 1" for model in models] == [True] * 3 + [False] * 2 + [True] * 2
    for _ in range(2):  # nothing new
        assert learned(project)[0].error is None
    assert queue.last_learning(store, project.id, "pos") == (2, job.ended)
    assert len(store.jobs(project.id)) == 2
    store.finish(store.claim_job("here", 1, storing.add_job(store, project.id, "train", {}).id))
    assert queue.last_learning(store, project.id, "pos") is None


@pytest.mark.parametrize("kind", ["train", "suggest", "draw"])
def test_a_learning_ends_where_a_job_waits_that_people_wait_for(store, make, project, learned, monkeypatch, kind):
    told, other = [], make()

    def report(beating, now):
        told.append(now)
        if now.loss is not None and len(told) < 5:
            store.beat(storing.add_job(store, other.id, kind, {}), 0.0, "")

    monkeypatch.setattr(run.Heartbeat, "report", report)
    job, models = learned(project)
    assert (job.state, job.error, set(models)) == ("done", "others wait", {"pos old 1"})
    assert told[-1].loss is not None
    assert queue.last_learning(store, project.id, "pos") is None


def test_what_cannot_be_learned_is_no_failure(store, make, project, monkeypatch, tmp_path):
    monkeypatch.setattr("fewshot.training.sources.user_dir", lambda: tmp_path)
    job = run_job(store, project, "learn", task="pos")
    assert job.state == "done"
    assert job.error.startswith("no source model for task pos")
    empty = make(labels=LABELS, learns=True)
    assert run_job(store, empty, "learn", task="pos").error is None
