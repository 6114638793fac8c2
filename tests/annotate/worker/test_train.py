from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import storing
import torch
from making import examples, made_up, small_recipe, with_morphology
from storing import annotate, made_items, made_project, pool_ids, run_job, two_rounds

from annotate.rounds import curve, simulation
from annotate.rounds.training_data import training_data
from annotate.store import NewItem
from annotate.worker import files, models, queue, run, train
from fewshot import tasks
from fewshot.costs import prices
from fewshot.experiments import trainer
from fewshot.experiments.executors import local
from fewshot.training.adapt import train_source
from fewshot.training.description import read_description
from fewshot.training.model import load_model
from fewshot.training.sources import fingerprint

LABELS = {"pos": list(tasks.get("pos").labels)}


@pytest.fixture
def project(store, encoder_folder):
    """Eight annotated sentences in two rounds, and a test set whose labels came with the data."""
    return two_rounds(store, examples("sentences", 6, seed=4), k=2, encoder=str(encoder_folder))


@pytest.fixture
def user_dir(model_folder, monkeypatch):
    set_to = lambda folder: monkeypatch.setattr("fewshot.training.sources.user_dir", lambda: folder)  # noqa: E731
    set_to(model_folder.parent)
    return set_to


@pytest.fixture
def sources(user_dir, model_folder, tmp_path):
    def keep(*langs):
        model = load_model(model_folder)
        for lang in langs:
            model.provenance = {"lang": lang}
            model.save(tmp_path / lang)
        user_dir(tmp_path)
        return tmp_path

    return keep


@pytest.fixture
def train_job(store, user_dir):
    return lambda project, kind="train", **args: run_job(store, project, kind, **{"seeds": 1, "updates": 2, **args})


@pytest.fixture
def no_test_set(monkeypatch):
    """Let the shots score each other in two parts."""
    monkeypatch.setattr("annotate.rounds.training_data.FOLDS", 2)
    monkeypatch.setattr("annotate.rounds.training_data._test", lambda *args: ([], False))


@pytest.fixture
def told(monkeypatch):
    reports = []
    monkeypatch.setattr(run.Heartbeat, "report", lambda beating, now: reports.append(now))
    return reports


@pytest.fixture
def third_training_fails(monkeypatch):
    """Let the third training fail once; the trainings that were begun."""
    adapt, calls = trainer.adapt, []

    def killed(*args, **kwargs):
        calls.append(args)
        if len(calls) == 3:
            raise MemoryError
        return adapt(*args, **kwargs)

    monkeypatch.setattr(trainer, "adapt", killed)
    return calls


def curve_of(store, project):
    return curve.project_curve(store, project, "pos", prices.load())


def test_a_test_set_without_lemmas_does_not_score_them(store, encoder, encoder_folder, tmp_path, user_dir):
    task, gold = tasks.get("pos+lemma"), [with_morphology(one) for one in made_up(6, seed=3)]
    recipe = small_recipe(method="freeze-0", regime="sequential", updates=2, batch=4)
    train_source(task, encoder, gold, recipe, 0, torch.device("cpu")).save(tmp_path / task.name)
    user_dir(tmp_path)
    rows = storing.split_rows(gold, made_up(3, seed=4, name="t"))
    project = made_project(store, rows, tasks=(task.name,), labels={task.name: []}, encoder=str(encoder_folder))
    for item in made_items(store, project, [(key, task.name, "ana") for key in pool_ids(store, project)]):
        annotate(store, project, item)
    job = run_job(store, project, "train", seeds=1, updates=2)
    assert job.state == "failed"
    said = "LEMMA is empty everywhere, and task pos+lemma needs it; annotate it, or leave +lemma out"
    assert job.error.endswith(said)


def test_optional_vowel_signs_that_the_encoder_lacks_are_not_read(store, train_job, encoder_folder):
    signed = [replace(one, words=tuple("\u064e".join((*word, "")) for word in one.words)) for one in made_up(6, seed=3)]
    rows = storing.split_rows(signed, made_up(3, seed=4, name="t"))
    project = made_project(store, rows, tasks=("pos",), labels=LABELS, encoder=str(encoder_folder))
    for item in made_items(store, project, [(key, "pos", "ana") for key in pool_ids(store, project)[:3]]):
        annotate(store, project, item)
    assert train_job(project).error == "the model reads no optional vowel signs"
    made = store.newest_predictions(project.id, "pos", str(encoder_folder), "")
    assert read_description(Path(made.model))["vowel_signs"] == "strip"


def test_each_round_is_a_point_with_measured_time_and_price_and_is_trained_once_from_each_source_model(
    store, project, train_job, sources, monkeypatch
):
    sources("sv")
    found = training_data(store, project, "pos")
    assert (list(found.ks), len(found.shots), len(found.test), found.people) == ([3, 8], 8, 6, False)
    assert list(found.ids) == pool_ids(store, project)[:8]
    assert train_job(project).error is None
    made = curve_of(store, project)
    assert [point.k for point in made.curve.points] == [0, 3, 8]
    assert [point.minutes for point in made.curve.points] == [0.0, 3.0, 8.0]
    assert [point.annotation for point in made.curve.points] == [0.0, 1.5, 4.0]
    assert made.predictions.keys() == {example.id for example in found.test}
    assert not made.crossvalidated
    wrong = found.test[0].annotated(upos=("X", *found.test[0].upos[1:]))
    said = f"{found.test[0].words[0]} {found.test[0].upos[0]} → X"
    assert curve.describe_differences(tasks.get("pos"), found.test[0], wrong) == said
    assert len(curve.pair_predictions("pos", found.test, made.predictions)) == len(found.test)
    before = store.results(project.id, "pos")
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "adapt", None)  # would fail
        assert train_job(project).error is None
    assert store.results(project.id, "pos") == before
    other = store.update_project(project.id, source_model="sv")
    assert curve_of(store, other) is None
    assert curve.own_model(store, other, "pos") is None
    assert train_job(other).error is None  # from the same folder: it is the newest, too
    assert curve_of(store, other).curve.scores == made.curve.scores
    project = store.update_project(project.id, source_model="")
    assert curve_of(store, project) == made
    first = store.items(project.id)[0]
    annotate(store, project, first, seq=2, seconds=61.0, tag="X")
    assert train_job(project).error is None
    assert len(store.results(project.id, "pos")) > len(before)
    assert [point.runs for point in curve_of(store, project).curve.points] == [1, 1, 1]


def test_every_job_begins_from_the_source_model_that_its_project_asks_for(
    store, project, train_job, sources, monkeypatch
):
    folder, begun, load = sources("sv", "ja"), {}, train.load_trainer
    monkeypatch.setattr(train, "load_trainer", lambda *args, **given: begun.update(given) or load(*args, **given))
    monkeypatch.setattr(train, "execute", lambda *args, **given: [])
    monkeypatch.setattr(train, "_store_model_outputs", lambda *given: given[4].trainer.source)
    for asked, lang, taken in (("auto", "ko", "ja"), ("auto", "da", "sv"), ("", "ko", "ja"), ("sv", "ko", "sv")):
        project = store.update_project(project.id, source_model=asked, lang=lang)
        job = train_job(project)
        assert (job.state, begun["source"]) == ("done", folder / taken)
        assert ("is first for" in (job.error or "")) == (asked == "auto")
    monkeypatch.setattr("annotate.worker.queue.start", lambda *job: True)
    monkeypatch.setattr("annotate.worker.simulate.execute", lambda *args, **given: None)
    chosen, choose = [], models.choose_source
    monkeypatch.setattr(models, "choose_source", lambda *args: chosen.append(choose(*args)) or chosen[-1])
    for kind, args in (
        ("suggest", {}), ("draw", {"sampler": "entropy", "k": 2, "seed": 0}), ("simulate", {"task": "pos"})
    ):  # fmt: skip
        chosen.clear()
        assert train_job(project, kind, **args).state == "done"
        assert chosen[0].place == folder / "sv", kind
    project = store.update_project(project.id, source_model="fi")
    for kind in ("train", "suggest"):
        assert train_job(project, kind).error.startswith("no source model of fi for task pos")


def test_a_killed_training_goes_on_where_it_was(store, project, train_job, third_training_fails):
    assert train_job(project).state == "failed"  # zero-shot and the first round are done
    assert train_job(project).error is None
    assert [point.k for point in curve_of(store, project).curve.points] == [0, 3, 8]
    assert [len(given[1]) for given in third_training_fails] == [0, 3, 0, 0, 8]


def test_without_a_test_set_the_shots_score_each_other_and_a_model_of_all_shots_is_kept(
    store, project, train_job, told, no_test_set, monkeypatch
):
    assert train_job(project).error is None
    shares = [now.share for now in told]
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)
    assert told[-2].doing == "pos, the model of all shots, seed 1"
    assert told[-1].doing == "pos: suggestions by the new model"
    assert any(now.loss is not None for now in told)
    made, found = curve_of(store, project), training_data(store, project, "pos")
    assert made.crossvalidated
    assert [(point.k, point.runs) for point in made.curve.points] == [(0, 2), (3, 2), (8, 2)]
    assert [point.tokens for point in made.curve.points] == [sum(s.length for s in found.shots[:k]) for k in (0, 3, 8)]
    assert made.predictions.keys() == made.before.keys() == {shot.id for shot in found.shots}
    assert len(curve.pair_predictions("pos", found.scored, made.predictions)) == 8
    assert set(read_description(Path(made.model))["shots"]) == {shot.id for shot in found.shots}
    monkeypatch.setattr(trainer, "adapt", None)  # would fail
    assert train_job(project).error is None


def test_without_a_test_set_a_round_of_one_shot_is_passed_over(store, project, train_job, no_test_set):
    def reopen(items):
        for item in items:
            store.save(item.id, "ana", "page", 2, store.latest(item.id).annotation, False, 61.0, 2)

    items = store.items(project.id)
    reopen(items[1:3])
    found = training_data(store, project, "pos")
    assert (list(found.ks), list(found.trainable)) == ([1, 6], [6])
    assert train_job(project).error is None
    assert [point.k for point in curve_of(store, project).curve.points] == [0, 6]
    assert curve.outdated_ks(curve.scores(store, project, "pos"), found) == []
    reopen(items[3:])
    assert train_job(project).error.startswith("one annotated example is too few for cross-validation")


def test_suggestions_are_those_that_a_project_shows_of_the_source_model_where_no_round_beats_it(
    store, project, train_job, monkeypatch
):
    """Finished sentences get none."""
    monkeypatch.setenv(queue.JOBS_ELSEWHERE, "1")
    made_items(store, project, [NewItem(key, "pos", "ana", False) for key in pool_ids(store, project)[8:]])
    for suggester, kinds, suggested, best in (
        ("llm", ["train", "ask"], 0, 0),
        ("encoder", ["train"], 4, 0),
        ("both", ["train", "ask"], 4, 8),
    ):
        monkeypatch.setattr("fewshot.curves.advice.best_k", lambda curve, best=best: best)
        before = {job.id for job in store.jobs(project.id)}
        project = store.update_project(project.id, suggester=suggester)
        assert train_job(project).error is None
        started = [job for job in store.jobs(project.id) if job.id not in before]
        assert [job.kind for job in started] == kinds
        for job in started:
            store.cancel(job.id)
        path, found = Path(curve_of(store, project).model), store.suggestions_of(project.id, "pos")
        assert len(found) == suggested
        assert {one.model.endswith(fingerprint(path)) for one in found.values()} == ({best > 0} if suggested else set())
        assert curve.own_model(store, project, "pos") == (str(path) if best else None)


def test_a_simulation_goes_on_where_it_was_and_leaves_the_curve_alone(
    store, project, train_job, told, third_training_fails, monkeypatch
):
    monkeypatch.setattr("annotate.worker.simulate.SHOT_SETS", 2)
    assert train_job(project, "simulate", task="pos").state == "failed"
    assert any(now.doing == "pos, k = 3, shot set 1" and now.loss is not None for now in told)
    kept = store.results(project.id, "pos", simulated=True)
    assert [one.k for one in kept] == [0, 3]
    assert train_job(project, "simulate", task="pos").error is None
    assert told[-1].share == pytest.approx(1.0) and 0 < told[-1].kept < 0.5
    found = training_data(store, project, "pos")
    made = simulation.simulated_curve(store, project, "pos", found, prices.load())
    assert [(point.k, point.shot_sets) for point in made.points] == [(0, 1), (3, 2), (8, 2), (10, 2), (12, 1)]
    calls = third_training_fails
    assert len(calls) == 1 + 3 * 2 + 1 + 1  # of all twelve there is one draw; the failed one was done again
    assert store.results(project.id, "pos") == []
    monkeypatch.setattr(trainer, "adapt", None)  # would fail
    assert train_job(project, "simulate", task="pos").error is None
    assert (told[-1].share, told[-1].kept) == pytest.approx((1.0, 1.0))
    assert told[-1].doing == "pos, k = 12, shot set 2"


@pytest.fixture
def use_processes(monkeypatch):
    """From its call on, this process does what several would do, with what is in their file; returns what is asked for.

    What processes do is in tests/experiments/test_processes.py.
    """
    asked = []

    def fit(experiment, sharing):
        asked.append((len(experiment.cells), sharing))
        return 2

    @contextmanager
    def start(workers, work, runs):
        asked.append((workers.at_once, runs))
        with local.workload_file(work.prepared()) as path:
            yield partial(local._carry_out_here, torch.load(path, mmap=True, weights_only=False))

    def use_processes():
        monkeypatch.setattr("fewshot.experiments.executors.place.count_processes", fit)
        monkeypatch.setattr(local.Local, "start", start)
        return asked

    return use_processes


def test_a_simulation_asks_in_rounds_as_the_project_does_and_uses_free_cores(
    store, project, train_job, use_processes, monkeypatch
):
    monkeypatch.setattr("annotate.worker.simulate.SHOT_SETS", 1)
    active = store.update_project(project.id, sampler="entropy")
    assert train_job(active, "simulate", task="pos").error is None
    rows = store.results(active.id, "pos", simulated=True)
    rounds = {one.k: one.rounds for one in rows}
    assert rounds == {0: (), 3: (3,), 8: (3, 5), 10: (3, 5, 2), 12: (3, 5, 2, 2)}

    asked = use_processes()
    monkeypatch.setattr("annotate.worker.files.training", lambda project: files.labelled(project))  # another folder
    assert train_job(active, "simulate", sharing=3, task="pos").error is None
    assert asked == [(len(rows), 3), (2, len(rows))]
    again = {one.run: one for one in store.results(active.id, "pos", simulated=True)}
    assert [replace(again[one.run], seconds=one.seconds) for one in rows] == rows and len(again) == len(rows)

    found = training_data(store, active, "pos")

    def points():
        return simulation.simulated_curve(store, active, "pos", found, prices.load()).points

    before = points()
    assert [point.k for point in before] == [0, 3, 8, 10, 12]
    widest = next(one for one in rows if one.k == 12)
    later = replace(widest, run="later", k=11, rounds=(3, 5, 3), score=1.0)
    store.add_results(active.id, "pos", [later], simulated=True)
    after = points()  # those that the newest rounds continue, and no others
    assert [(point.k, point.score) for point in after[:-1]] == [(point.k, point.score) for point in before[:3]]
    assert (after[-1].k, after[-1].score) == (11, 1.0)
    again = replace(next(one for one in rows if one.k == 0), run="again")
    store.add_results(active.id, "pos", [again], simulated=True)
    assert points()[1:] == after[1:]


def test_what_cannot_be_trained_is_one_clear_line(store, project, train_job, no_test_set):
    assert train_job(project, "simulate", task="pos").error == "no test set to score on; annotate one first"
    empty = made_project(store, storing.split_rows(examples("sentences", 2, seed=3), ()), tasks=("pos",), labels=LABELS)
    job = train_job(empty)
    assert (job.state, job.error) == ("failed", "nothing is annotated yet; finish some items first")
