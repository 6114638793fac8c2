"""The job that trains: one point a round, nothing trained twice, whatever happens in between."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from making import examples, made_up, small_recipe, with_morphology
from storing import made_items, made_project

from annotate.editing import content
from annotate.exchange import pool
from annotate.rounds import curve, simulation
from annotate.rounds.training_data import training_data
from annotate.store import NewItem
from annotate.worker import files, queue, run, source_model, train
from fewshot import tasks
from fewshot.costs import prices
from fewshot.errors import FewshotError
from fewshot.experiments import trainer
from fewshot.papers.published import languages
from fewshot.training.adapt import train_source
from fewshot.training.model import load_model, read_description
from fewshot.training.sources import fingerprint

LABELS = {"pos": list(tasks.get("pos").labels)}


@pytest.fixture
def project(store, encoder_folder):
    """Eight annotated sentences in two rounds, and a test set whose labels came with the data."""
    pool, test = examples("sentences", 12, seed=3), examples("sentences", 6, seed=4)
    rows = [
        (split, e.id, e.length, content.to_json(e)) for split, part in (("pool", pool), ("test", test)) for e in part
    ]
    made = made_project(
        store, rows, tasks=("pos",), labels=LABELS, kind="sentences", wage=30.0, k=2,
        encoder=str(encoder_folder),
    )  # fmt: skip
    ids = [row[0] for row in store.lengths(made.id, "pool")]
    for part in (ids[:3], ids[3:8]):
        for item in made_items(store, made, [NewItem(key, "pos", "ana", False) for key in part]):
            example = content.from_json(next(store.examples(made.id, ids=[item.example_id])).content)
            store.save(item.id, "ana", "page", 1, content.annotation_of("pos", example), True, 60.0, 1)
    return made


@pytest.fixture
def trained(store, model_folder, monkeypatch):
    """Run the job; return how it ended."""
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: model_folder.parent)

    def go(project, kind="train", sharing=1, **args):
        fast = {"device": "cpu", "seeds": 1, "updates": 4}
        made = store.add_job(project.id, kind, fast | args)
        run.run(store, run.claim(store, made.id), sharing)
        return store.job(made.id)

    return go


def test_training_data_are_the_rounds_in_order_and_the_test_set_of_the_data(store, project):
    found = training_data(store, project, "pos")
    assert (list(found.ks), len(found.shots), len(found.test), found.people) == ([3, 8], 8, 6, False)
    assert list(found.ids) == [row[0] for row in store.lengths(project.id, "pool")][:8]


def test_a_test_set_without_lemmas_does_not_score_them(store, encoder, encoder_folder, tmp_path, monkeypatch):
    task, gold = tasks.get("pos+lemma"), [with_morphology(one) for one in made_up(6, seed=3)]
    recipe = small_recipe(method="freeze-0", regime="sequential", updates=2, batch=4)
    train_source(task, encoder, gold, recipe, 0, torch.device("cpu")).save(tmp_path / task.name)
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path)
    rows = pool.both(gold, made_up(3, seed=4, name="t"))
    project = made_project(store, rows, tasks=(task.name,), labels={task.name: []}, encoder=str(encoder_folder))
    for item in made_items(store, project, [(row[0], task.name, "ana") for row in store.lengths(project.id, "pool")]):
        example = content.from_json(next(store.examples(project.id, ids=[item.example_id])).content)
        store.save(item.id, "ana", "page", 1, content.annotation_of(task.name, example), True, 60.0, 1)
    job = store.add_job(project.id, "train", {"device": "cpu", "seeds": 1, "updates": 2})
    run.run(store, run.claim(store, job.id))
    assert store.job(job.id).state == "failed"
    assert store.job(job.id).error.endswith(
        "LEMMA is empty everywhere, and task pos+lemma needs it; annotate it, or leave +lemma out"
    )


def test_each_round_is_a_point_with_measured_time_and_its_price(store, project, trained):
    assert trained(project).error is None
    made = curve.project_curve(store, project, "pos", prices.load())
    assert [point.k for point in made.curve.points] == [0, 3, 8]
    assert [point.minutes for point in made.curve.points] == [0.0, 3.0, 8.0]
    assert [point.annotation for point in made.curve.points] == [0.0, 1.5, 4.0]
    assert made.predictions.keys() == {example.id for example in training_data(store, project, "pos").test}
    assert not made.crossvalidated


def test_a_project_continues_the_source_model_that_it_asks_for(
    store, project, trained, model_folder, tmp_path, monkeypatch
):
    for name in ("sv", "ja"):
        model = load_model(model_folder)
        model.provenance = {"lang": name}
        model.save(tmp_path / name)
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path)
    begun = {}
    load = train.load_trainer
    monkeypatch.setattr(train, "load_trainer", lambda *args, **given: begun.update(given) or load(*args, **given))
    for asked, lang, taken in (("sv", "ko", "sv"), ("auto", "ko", "ja"), ("auto", "da", "sv"), ("", "ko", "ja")):
        project = store.update_project(project.id, source_model=asked, lang=lang)
        job = trained(project)
        assert (job.state, begun["source"]) == ("done", tmp_path / taken)
        assert ("is first for" in (job.error or "")) == (asked == "auto")
    project = store.update_project(project.id, source_model="fi")
    assert trained(project).error.startswith("no source model of fi for task pos")
    assert trained(project, "suggest").error.startswith("no source model of fi for task pos")


@pytest.mark.parametrize("kind", ["suggest", "draw", "simulate"])
def test_other_jobs_begin_from_the_source_model_that_a_project_asks_for(
    store, project, trained, tmp_path, monkeypatch, model_folder, kind
):
    for name in ("sv", "ja"):
        model = load_model(model_folder)
        model.provenance = {"lang": name}
        model.save(tmp_path / name)
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path)
    monkeypatch.setattr(languages, "similarities", unknown)  # so that texts are read
    taken = []
    choose = source_model.choose
    monkeypatch.setattr(source_model, "choose", lambda *args: taken.append(choose(*args)) or taken[-1])
    args = {"suggest": {}, "draw": {"sampler": "entropy", "k": 2, "seed": 0}, "simulate": {"task": "pos"}}[kind]
    for asked in ("sv", "auto"):
        project = store.update_project(project.id, source_model=asked, lang="ko")
        assert trained(project, kind, **args).state == "done"
    assert taken[0].place == tmp_path / "sv" and taken[1].why


def unknown(*args):
    raise FewshotError("lang2vec knows no such language")


def test_with_another_source_model_the_curve_begins_anew(store, project, trained, model_folder, tmp_path, monkeypatch):
    model = load_model(model_folder)
    model.provenance = {"lang": "sv"}
    model.save(tmp_path / "sv")
    monkeypatch.setattr("fewshot.training.sources.kept_in", lambda: tmp_path)
    assert trained(project).error is None
    before = curve.project_curve(store, project, "pos", prices.load())
    other = store.update_project(project.id, source_model="sv")
    assert curve.project_curve(store, other, "pos", prices.load()) is None
    assert curve.own_model(store, other, "pos") is None
    assert trained(other).error is None  # from the same folder: it is the newest, too
    assert curve.project_curve(store, other, "pos", prices.load()).curve.scores == before.curve.scores
    again = store.update_project(project.id, source_model="")
    assert curve.project_curve(store, again, "pos", prices.load()) == before


def test_bar_of_a_training_rises_over_its_rounds_and_folds(store, project, trained, monkeypatch):
    told = []
    monkeypatch.setattr(run.Heartbeat, "report", lambda beating, now: told.append(now))
    monkeypatch.setattr("annotate.rounds.training_data._test", lambda *args: ([], False))
    assert trained(project).error is None
    shares = [now.share for now in told]
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)
    assert told[-2].doing == "pos, the model of all shots, seed 1"
    assert told[-1].doing == "pos: suggestions by the new model"
    assert any(now.loss is not None for now in told)


def test_a_trained_round_is_not_trained_again(store, project, trained, monkeypatch):
    trained(project)
    before = store.results(project.id, "pos")
    monkeypatch.setattr(trainer, "adapt", None)  # would fail
    assert trained(project).error is None
    assert store.results(project.id, "pos") == before


def test_a_killed_training_goes_on_where_it_was(store, project, trained, monkeypatch):
    adapt, calls = trainer.adapt, []

    def killed(*args, **kwargs):
        calls.append(args)
        if len(calls) == 3:  # zero-shot and the first round are done
            raise MemoryError
        return adapt(*args, **kwargs)

    monkeypatch.setattr(trainer, "adapt", killed)
    assert trained(project).state == "failed"
    assert trained(project).error is None
    whole = curve.project_curve(store, project, "pos", prices.load())
    assert [point.k for point in whole.curve.points] == [0, 3, 8]


def test_changed_annotation_is_trained_anew_and_replaces_the_old_point(store, project, trained):
    trained(project)
    item = store.items(project.id)[0]
    annotation = store.latest(item.id).annotation
    store.save(item.id, "ana", "page", 2, {"upos": ["X"] * len(annotation["upos"])}, True, 61.0, 2)
    before = len(store.results(project.id, "pos"))
    trained(project)
    assert len(store.results(project.id, "pos")) > before
    assert [point.runs for point in curve.project_curve(store, project, "pos", prices.load()).curve.points] == [1, 1, 1]


def test_without_a_test_set_the_shots_score_each_other(store, project, trained, monkeypatch):
    monkeypatch.setattr("annotate.rounds.training_data.FOLDS", 2)
    monkeypatch.setattr("annotate.rounds.training_data._test", lambda *args: ([], False))
    assert trained(project).error is None
    made = curve.project_curve(store, project, "pos", prices.load())
    assert made.crossvalidated
    assert [(point.k, point.runs) for point in made.curve.points] == [(0, 2), (3, 2), (8, 2)]
    shots = training_data(store, project, "pos").shots
    assert [point.tokens for point in made.curve.points] == [sum(s.length for s in shots[:k]) for k in (0, 3, 8)]


def test_without_a_test_set_a_round_of_one_shot_is_passed_over(store, project, trained, monkeypatch):
    monkeypatch.setattr("annotate.rounds.training_data.FOLDS", 2)
    monkeypatch.setattr("annotate.rounds.training_data._test", lambda *args: ([], False))
    item = store.items(project.id)
    for one in (item[1], item[2]):
        store.save(one.id, "ana", "page", 2, store.latest(one.id).annotation, False, 61.0, 2)
    found = training_data(store, project, "pos")
    assert (list(found.ks), list(found.trainable)) == ([1, 6], [6])
    assert trained(project).error is None
    assert [point.k for point in curve.project_curve(store, project, "pos", prices.load()).curve.points] == [0, 6]
    assert curve.outdated(curve.scores(store, project, "pos"), found) == []
    for one in item[3:]:
        store.save(one.id, "ana", "page", 2, store.latest(one.id).annotation, False, 61.0, 2)
    assert trained(project).error.startswith("one annotated example is too few for cross-validation")


def test_without_a_test_set_a_model_of_all_shots_is_kept_and_errors_are_those_of_the_folds(
    store, project, trained, monkeypatch
):
    monkeypatch.setattr("annotate.rounds.training_data.FOLDS", 2)
    monkeypatch.setattr("annotate.rounds.training_data._test", lambda *args: ([], False))
    assert trained(project).error is None
    made = curve.project_curve(store, project, "pos", prices.load())
    found = training_data(store, project, "pos")
    assert made.predictions.keys() == made.before.keys() == {shot.id for shot in found.shots}
    assert len(curve.predicted("pos", found.scored, made.predictions)) == 8
    assert set(read_description(Path(made.model))["shots"]) == {shot.id for shot in found.shots}
    monkeypatch.setattr(trainer, "adapt", None)  # would fail
    assert trained(project).error is None


@pytest.mark.parametrize(("use", "own"), [(0, False), (8, True)])
def test_suggestions_are_of_the_source_model_where_no_round_beats_it(store, project, trained, monkeypatch, use, own):
    monkeypatch.setattr("fewshot.curves.advice.best_k", lambda curve: use)
    assert trained(project).error is None
    path = Path(curve.project_curve(store, project, "pos", prices.load()).model)
    titles = {one.model for one in store.suggestions_of(project.id, "pos").values()}
    assert len(titles) == 1
    assert titles.pop().endswith(fingerprint(path)) == own
    assert curve.own_model(store, project, "pos") == (str(path) if own else None)


@pytest.mark.parametrize(
    ("suggester", "kinds", "suggested"),
    [("encoder", ["train"], 8), ("llm", ["train", "ask"], 0), ("both", ["train", "ask"], 8)],
)
def test_suggestions_are_renewed_of_those_that_a_project_shows(
    store, project, trained, monkeypatch, suggester, kinds, suggested
):
    monkeypatch.setenv(queue.ELSEWHERE, "1")
    project = store.update_project(project.id, suggester=suggester)
    assert trained(project).error is None
    assert [job.kind for job in store.jobs(project.id)] == kinds
    assert len(store.suggestions_of(project.id, "pos")) == suggested


def test_a_simulation_goes_on_where_it_was_and_leaves_the_curve_alone(store, project, trained, monkeypatch):
    assert trained(project).error is None
    before = store.results(project.id, "pos")
    adapt, calls = trainer.adapt, []

    def killed(*args, **kwargs):
        calls.append(args)
        if len(calls) == 3:
            raise MemoryError
        return adapt(*args, **kwargs)

    monkeypatch.setattr(trainer, "adapt", killed)
    assert trained(project, "simulate", task="pos").state == "failed"
    kept = store.results(project.id, "pos", simulated=True)
    assert [one.k for one in kept] == [0, 3]
    assert trained(project, "simulate", task="pos").error is None
    found = training_data(store, project, "pos")
    made = simulation.simulated_curve(store, project, "pos", found, prices.load())
    assert [(point.k, point.shot_sets) for point in made.points] == [(0, 1), (3, 3), (8, 3), (10, 3), (12, 1)]
    assert len(calls) == 1 + 3 * 3 + 1 + 1  # of all twelve there is one draw; the one that was killed was done again
    assert store.results(project.id, "pos") == before


def test_a_simulation_asks_in_rounds_as_the_project_does(store, project, trained):
    active = store.update_project(project.id, sampler="entropy")
    assert trained(active, "simulate", task="pos").error is None
    rows = store.results(active.id, "pos", simulated=True)
    assert {one.k: one.rounds for one in rows} == {
        0: (),
        3: (3,),
        8: (3, 5),
        10: (3, 5, 2),
        12: (3, 5, 2, 2),
    }
    found = training_data(store, active, "pos")
    before = simulation.simulated_curve(store, active, "pos", found, prices.load())
    assert [point.k for point in before.points] == [0, 3, 8, 10, 12]
    widest = next(one for one in rows if one.k == 12)
    later = replace(widest, run="later", k=11, rounds=(3, 5, 3), score=1.0)
    store.add_results(active.id, "pos", [later], simulated=True)
    after = simulation.simulated_curve(store, active, "pos", found, prices.load())
    assert [(point.k, point.score) for point in after.points] == [
        *((point.k, point.score) for point in before.points[:3]),
        (11, 1.0),
    ]  # what the newest rounds continue, and no others
    again = replace(next(one for one in rows if one.k == 0), run="again")
    store.add_results(active.id, "pos", [again], simulated=True)
    assert simulation.simulated_curve(store, active, "pos", found, prices.load()).points[1:] == after.points[1:]


def test_a_simulation_trains_in_several_processes_where_cores_are_free(store, project, trained, monkeypatch):
    assert trained(project, "simulate", task="pos").error is None
    found = lambda: {one.run: one for one in store.results(project.id, "pos", simulated=True)}  # noqa: E731
    alone, asked = found(), []
    fit = lambda experiment, sharing: asked.append((len(experiment.conditions), sharing)) or 2  # noqa: E731
    monkeypatch.setattr("fewshot.experiments.executors.place.fitting", fit)
    monkeypatch.setattr(trainer, "adapt", None)  # would fail in this process
    monkeypatch.setattr("annotate.worker.files.training", lambda project: files.labelled(project))  # another folder
    assert trained(project, "simulate", sharing=3, task="pos").error is None
    assert asked == [(len(alone), 3)]
    assert {run: replace(one, seconds=alone[run].seconds) for run, one in found().items()} == alone


def test_a_simulation_says_its_loss_and_how_much_was_there_before(store, project, trained, monkeypatch):
    told = []
    monkeypatch.setattr(run.Heartbeat, "report", lambda beating, now: told.append(now))
    assert trained(project, "simulate", task="pos").error is None
    assert any(now.doing == "pos, k = 3, shot set 1" and now.loss is not None for now in told)
    assert told[-1].share == pytest.approx(1.0)
    assert told[-1].kept < 0.2
    monkeypatch.setattr(trainer, "adapt", None)  # would fail
    assert trained(project, "simulate", task="pos").error is None
    assert (told[-1].share, told[-1].kept) == pytest.approx((1.0, 1.0))
    assert told[-1].doing == "pos, k = 12, shot set 3"


def test_a_simulation_without_a_test_set_is_one_clear_line(store, project, trained, monkeypatch):
    monkeypatch.setattr("annotate.rounds.training_data._test", lambda *args: ([], False))
    assert trained(project, "simulate", task="pos").error == "no test set to score on; annotate one first"


def test_nothing_annotated_is_one_clear_line(store, trained):
    rows = [("pool", one.id, one.length, content.to_json(one)) for one in examples("sentences", 2, seed=3)]
    empty = made_project(store, rows, tasks=("pos",), labels=LABELS, kind="sentences")
    job = trained(empty)
    assert (job.state, job.error) == ("failed", "nothing is annotated yet; finish some items first")


def test_worst_words_are_named(store, project, trained):
    trained(project)
    made = curve.project_curve(store, project, "pos", prices.load())
    test = training_data(store, project, "pos").test
    wrong = test[0].annotated(upos=("X", *test[0].upos[1:]))
    assert curve.differences(tasks.get("pos"), test[0], wrong) == f"{test[0].words[0]} {test[0].upos[0]} → X"
    assert len(curve.predicted("pos", test, made.predictions)) == len(test)
