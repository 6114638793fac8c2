from storing import annotate, run_job

from annotate.store import HELD_OUT
from annotate.worker import cross_check
from fewshot import tasks
from fewshot.experiments import trainer


def test_each_finished_sentence_is_annotated_by_a_model_that_did_not_learn_from_it(
    store, make, encoder_folder, model_folder, monkeypatch
):
    monkeypatch.setattr("fewshot.training.sources.user_dir", lambda: model_folder.parent)
    monkeypatch.setattr(cross_check, "MIN_SHOTS", 4)
    project = make(encoder=str(encoder_folder), labels={"pos": list(tasks.get("pos").labels)})
    items = store.items(project.id)
    for item in items[:3]:
        annotate(store, project, item, tag="X")
    assert "a model needs 4 finished sentences" in run_job(store, project, "cross_check", task="pos").error
    annotate(store, project, items[3], tag="NOUN")
    learned, adapt = [], trainer.adapt
    monkeypatch.setattr(
        trainer, "adapt", lambda start, shots, *rest: learned.append(shots) or adapt(start, shots, *rest)
    )
    assert run_job(store, project, "cross_check", task="pos", updates=1).state == "done"
    assert [len(shots) for shots in learned] == [3] * 4
    assert len({frozenset(shot.key for shot in shots) for shots in learned}) == 4
    held_out = store.suggestions_of(project.id, "pos", HELD_OUT)
    assert held_out.keys() == {item.example_id for item in items[:4]}
    assert all(len(made.data["confidence"]) == len(made.data["words"]) for made in held_out.values())
    assert store.suggestion(items[0].example_id, "pos") is None
