import pytest
import storing
from making import examples
from storing import annotate, run_job

from annotate.editing import content
from annotate.worker import run, suggest
from fewshot import evaluation, tasks
from fewshot.training.model import build_model, load_model


@pytest.fixture
def suggested(store):
    def go(project, task="pos", **args):
        job = run_job(store, project, "suggest", **args)
        return job, store.suggestions_of(project.id, task)

    return go


def test_every_item_gets_what_each_model_suggests_once(
    store, make, suggested, model_folder, source_model, tmp_path, monkeypatch
):
    project = make()
    job, found = suggested(project, model=str(model_folder))
    assert (job.state, job.error) == ("done", None)
    assert found.keys() == {item.example_id for item in store.items(project.id)}
    shown = list(store.examples(project.id, ids=list(found)))
    expected = evaluation.suggest(load_model(model_folder), [content.from_json(example.content) for example in shown])
    assert [found[example.id].data for example in shown] == expected
    with monkeypatch.context() as patch:
        patch.setattr(suggest, "suggest", None)  # would fail
        assert suggested(project, model=str(model_folder))[1] == found
    build_model(tasks.get("pos"), source_model.encoder, 7, 0.1).save(tmp_path / "other")
    _, after = suggested(project, model=str(tmp_path / "other"))
    assert after.keys() == found.keys()
    assert {one.model for one in after.values()}.isdisjoint({one.model for one in found.values()})


def test_after_a_crash_only_what_is_missing_is_made(make, suggested, model_folder, monkeypatch):
    monkeypatch.setattr(suggest, "BATCH_EXAMPLES", 2)
    calls = []

    def crashing(model, pool):
        if len(calls) == 1:
            raise MemoryError
        calls.append(len(pool))
        return evaluation.suggest(model, pool)

    project = make()
    monkeypatch.setattr(suggest, "suggest", crashing)
    job, before = suggested(project, model=str(model_folder))
    assert (job.state, len(before)) == ("failed", 2)
    monkeypatch.setattr(suggest, "suggest", evaluation.suggest)
    job, after = suggested(project, model=str(model_folder))
    assert (job.state, len(after)) == ("done", 7)
    assert after.items() > before.items()


@pytest.fixture
def begun(store, make, monkeypatch):
    """A project of which two of seven items are done, and the numbers of sentences that get suggestions together."""
    project, batches = make(), []
    for item in store.items(project.id)[:2]:
        annotate(store, project, item, tag="X")

    def some(model, examples):
        batches.append(len(examples))
        return evaluation.suggest(model, examples)

    monkeypatch.setattr(suggest, "BATCH_EXAMPLES", 2)
    monkeypatch.setattr(suggest, "suggest", some)
    return project, batches


def test_finished_items_get_none_and_a_training_of_another_project_waits_for_one_batch_at_most(
    store, make, suggested, begun, model_folder
):
    project, batches = begun
    for kind in ("suggest", "train"):
        other = storing.add_job(store, make().id, kind, {})
        store.beat(other, 0.0, "")
    job, _ = suggested(project, model=str(model_folder))
    assert (job.state, job.attempts, batches) == ("queued", 0, [2])
    store.finish(other)
    assert run.run(store, run.claim(store, job.id)) and batches == [2, 2, 1]
    unfinished = {item.example_id for item in store.items(project.id)[2:]}
    assert store.suggestions_of(project.id, "pos").keys() == unfinished


def test_a_training_of_the_project_ends_its_suggestions_and_renews_them(store, suggested, begun, model_folder):
    project, batches = begun
    store.beat(storing.add_job(store, project.id, "train", {}), 0.0, "")
    job, _ = suggested(project, model=str(model_folder))
    assert (job.state, batches) == ("done", [2])


def test_tasks_without_a_model_fail_after_the_others_got_their_suggestions(
    store, make, suggested, encoder_folder, model_folder, monkeypatch
):
    monkeypatch.setattr("fewshot.training.sources.user_dir", lambda: model_folder.parent)
    project = make(tasks=("dep", "pos"), encoder=str(encoder_folder))
    job, found = suggested(project)
    assert len(found) == 7
    assert job.state == "failed"
    assert job.error.startswith("no source model for task dep with encoder")
    assert "train one with: fewshot source --task dep" in job.error
    assert "\n" not in job.error


def test_a_model_that_cannot_be_used_is_one_clear_line(make, suggested, model_folder, encoder, tmp_path):
    build_model(tasks.get("topic").fitted(examples("documents", 10, seed=1)), encoder, 0, 0.1).save(tmp_path / "topic")
    topic = {"kind": "documents", "tasks": ("topic",), "labels": {"topic": ["law", "art"]}}
    for changes, args, reason in (
        ({}, {"model": "/nowhere"}, "/nowhere: no saved model here (model.json is missing or damaged)"),
        ({}, {"device": "abacus"}, "device 'abacus' cannot be used"),
        ({"encoder": "/nowhere"}, {}, "/nowhere: no encoder here"),
        (
            {"tasks": ("dep",)},
            {"model": str(model_folder)},
            "the model is for task pos, but this project annotates dep",
        ),
        (
            topic,
            {"model": str(tmp_path / "topic")},
            "the topic model knows health, sports, but the labels of this project are law",
        ),
    ):
        job, found = suggested(make(**changes), **args)
        assert (job.state, found) == ("failed", {})
        assert job.error.startswith(reason)
        assert "\n" not in job.error
