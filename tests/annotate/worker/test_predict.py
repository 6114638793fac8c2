from pathlib import Path

import pytest
import storing
from making import examples
from storing import annotate, made_items, made_project, run_job

from annotate.editing import content
from annotate.store import NewItem
from annotate.worker import files, run
from fewshot import evaluation, tasks
from fewshot.corpora import formats
from fewshot.corpora.types import Sentence
from fewshot.training.model import build_model, load_model


@pytest.fixture
def labelled(store):
    def go(project, model, task="pos"):
        job = run_job(store, project, "predict", task=task, model=str(model))
        return job, store.labelled_file(project.id, task)

    return go


def finish(store, project, count):
    for item in store.items(project.id)[:count]:
        if store.latest(item.id) is None:
            annotate(store, project, item, tag="X")


def test_what_nobody_has_annotated_is_labelled_in_the_order_of_the_pool_in_one_file(
    store, make, labelled, model_folder, monkeypatch
):
    monkeypatch.setattr("fewshot.evaluation.label.CHUNK", 3)
    project = make()
    finish(store, project, 3)
    by_people = {item.example_id for item in store.items(project.id)[:3]}
    rest = [content.from_json(row.content) for row in store.examples(project.id) if row.id not in by_people]
    job, found = labelled(project, model_folder)
    assert (job.error, found.examples) == (None, 7)
    written = list(formats.stream(found.path, "conllu", "ja", tasks.get("pos")))
    assert [(one.id, one.upos) for one in written] == [
        (one.id, one.upos) for one in evaluation.predict(load_model(model_folder), rest)
    ]
    finish(store, project, 5)
    _, after = labelled(project, model_folder)
    assert (after.path, after.examples) == (found.path, 5)
    assert len(list(Path(after.path).parent.iterdir())) == 1


def test_nested_entities_that_the_file_cannot_hold_are_named(store, labelled, model_folder):
    nested = Sentence("s1", "Dakar FC", ("Dakar", "FC"), entities=("B-ORG|B-LOC", "I-ORG"))
    project = made_project(store, [("pool", "s1", 2, content.to_json(nested))])
    job, _ = labelled(project, model_folder)
    assert (job.state, job.error) == (
        "done",
        "CoNLL-U has no place for entities inside others: 1 left out, Dakar (LOC)",
    )


def test_documents_with_several_lines_are_labelled_too(store, labelled, encoder, tmp_path):
    texts = examples("documents", 4, seed=1)
    build_model(tasks.get("topic").fitted(texts), encoder, 0, 0.1).save(tmp_path / "topic")
    rows = [("pool", one.id, 3, content.to_json(one.unannotated()) | {"text": "a\nb"}) for one in texts]
    project = made_project(store, rows, tasks=("topic",), labels={}, kind="documents")
    job, found = labelled(project, tmp_path / "topic", "topic")
    assert job.error is None
    assert [one.text for one in formats.stream(found.path, None, "ja", tasks.get("topic"))] == ["a\nb"] * 4


def test_what_the_file_has_annotated_or_begun_is_no_rest_where_it_is_continued(store, labelled, model_folder):
    whole = examples("sentences", 6, seed=1)
    begun = whole[1].annotated(upos=("NOUN", *["_"] * (whole[1].length - 1)))
    rows = list(storing.split_rows([whole[0], begun, *(one.unannotated() for one in whole[2:])], ()))
    labels = {"pos": [], "dep": []}
    for hides_gold, count in ((False, 4), (True, 6)):
        project = made_project(store, rows, tasks=("pos",), labels=labels, hides_gold=hides_gold)
        job, found = labelled(project, model_folder)
        assert (job.error, found.examples) == (None, count)
        assert "# predicted = UPOS\n" in Path(found.path).read_text(encoding="utf-8")


def test_nothing_left_to_label_or_a_model_of_another_machine_is_one_clear_line(store, make, labelled, model_folder):
    one = examples("sentences", 1, seed=1)[0].unannotated()
    project = made_project(store, storing.split_rows([one], ()), tasks=("pos",), labels={})
    made_items(store, project, [NewItem(next(store.examples(project.id)).id, "pos", "ana")])
    finish(store, project, 1)
    job, found = labelled(project, model_folder)
    assert (job.error, found) == ("the whole pool is annotated or begun; add examples to the pool", None)
    job, found = labelled(make(), "/elsewhere/model")
    assert (job.state, found) == ("failed", None)
    assert job.error.startswith("/elsewhere/model: the model is on the machine that trained it")


def test_a_job_that_is_stopped_leaves_no_file(store, make, model_folder, monkeypatch):
    project = make()
    job = storing.add_job(store, project.id, "predict", {"task": "pos", "model": str(model_folder), "device": "cpu"})

    def unwanted(beating, now):
        if now.share > 0.5:
            raise run.JobCancelled

    monkeypatch.setattr(run.Heartbeat, "report", unwanted)
    assert not run.run(store, run.claim(store, job.id))
    assert list(files.labelled(project).iterdir()) == []
