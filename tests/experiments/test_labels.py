import json
import shutil
from dataclasses import replace

import pytest
import torch
from making import examples, made_up, small_recipe

from fewshot import notebook, tasks
from fewshot.corpora.load import Corpus, fingerprint
from fewshot.corpora.pool import PoolCount
from fewshot.costs import prices
from fewshot.curves.points import curves
from fewshot.curves.results import RESULTS, read_results
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate, predict
from fewshot.evaluation.evaluate import score_predictions
from fewshot.experiments.experiment import load_experiment
from fewshot.experiments.plan import Plan
from fewshot.experiments.plan_file import PLAN_FILE, collect_facts
from fewshot.experiments.run import MODEL_FOLDER, execute
from fewshot.reports.learning_curves import caveats
from fewshot.training.adapt import train_source
from fewshot.training.model import load_model

CPU = torch.device("cpu")
LEARNING = {"updates": 40, "batch": 8, "head_lr": 2e-2, "encoder_lr": 3e-3, "average": 1, "regime": "sequential"}
TYPES = {"metsa": "LOC", "kala": "KIN", "vesi": "DATE"}


def entities(n, seed, types=TYPES):

    def tag(word):
        return f"B-{types[word]}" if word in types else "O"

    made = (replace(one, entities=tuple(map(tag, one.words))) for one in made_up(n, seed, name=f"e{seed}"))
    return [one for one in made if set(one.entities) > {"O"} and one.length > 2]


def renamed(kind, n, seed, names):
    return [replace(one, label=names[one.label], id=f"{seed}-{one.id}") for one in examples(kind, n, seed)]


def trees(n, seed):
    """Sentences whose punctuation has a relation of one's own."""
    made = made_up(n, seed, name=f"t{seed}")
    return [replace(one, deprels=tuple("punct:own" if d == "punct" else d for d in one.deprels)) for one in made]


DATA = {
    "ner+crf": (entities(60, 1, {"metsa": "LOC"}), entities(60, 2), entities(30, 3)),
    "topic": (
        renamed("documents", 30, 1, {"sports": "sports", "health": "health"}),
        renamed("documents", 40, 2, {"sports": "pelit", "health": "terveys"}),
        renamed("documents", 20, 3, {"sports": "pelit", "health": "terveys"}),
    ),
    "dep+subtypes": (made_up(30, 1), trees(40, 2), trees(20, 3)),
}
"""Source data, pool and test set of each task."""

NOTICES = {
    "ner+crf": "DATE and KIN are new to the source model; at k = 0 every DATE and KIN counts as an error",
    "topic": "pelit and terveys are new to the source model, which knows no label of the test set: "
    "zero-shot is left out",
    "dep+subtypes": "punct:own is new to the source model",
}


@pytest.fixture(scope="module", params=DATA)
def name(request):
    return request.param


def corpus_of(pool, test):
    identity = f"{fingerprint(pool)}-{fingerprint(test)}"
    return Corpus("xx", tuple(pool), tuple(test), "made up", identity, PoolCount(len(pool), 0, 0, 0))


@pytest.fixture(scope="module")
def source(name, encoder, tmp_path_factory):
    """A source model that knows the labels of its own data alone."""
    given, folder = DATA[name][0], tmp_path_factory.mktemp("source")
    recipe = small_recipe(method="freeze-0", **LEARNING)
    train_source(tasks.get(name).fitted(given), encoder, given, recipe, 0, CPU).save(folder)
    return folder


def test_pool_test_set_and_zero_shot_are_read_without_optional_vowel_signs(
    encoder_folder, source_model, sentences, tmp_path
):
    source_model.save(tmp_path)
    signed = [replace(one, words=tuple("\u064e".join((*word, "")) for word in one.words)) for one in sentences[:20]]

    def made(pool, vowel_signs="auto"):
        corpus, plan = corpus_of(pool, sentences[20:30]), Plan("pos", "xx", (5,), ("random",), 1, 1, "freeze-0")
        return load_experiment(plan, corpus, str(encoder_folder), CPU, tmp_path, vowel_signs=vowel_signs)

    plain, stripped, kept = made(sentences[:20]), made(signed), made(signed, "keep")
    assert stripped.trainer.identity(kept.corpus) == kept.identity | {"vowel_signs": "strip"}
    assert plain.identity.keys() == kept.identity.keys()
    for model in (stripped.trainer.source, stripped.trainer.train([], 0), stripped.trainer.start):
        assert model.encode(signed) == plain.trainer.source.encode(sentences[:20])
    said = collect_facts(stripped, stripped.cells)["Data"]["writing"]
    assert "of the test set are optional vowel signs, which the encoder does not read" in said


def experiment_of(name, source, encoder_folder, pool, test, ks=(40,), **changes):
    plan = Plan(name, "xx", ks, ("random",), 1, 1, method="freeze-0", changes={**LEARNING, **changes})
    return load_experiment(plan, corpus_of(pool, test), str(encoder_folder), CPU, source=source)


@pytest.fixture(scope="module")
def experiment(name, source, encoder_folder):
    _, pool, test = DATA[name]
    return experiment_of(name, source, encoder_folder, pool, test, (min(40, len(pool)),))


@pytest.fixture(scope="module")
def done(experiment, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return execute(experiment, folder, prices.load()), folder


def test_labels_of_the_data_are_learned(name, done):
    results, folder = done
    assert results[-1].score > 70
    model, (known, _, test) = load_model(folder / MODEL_FOLDER), DATA[name]
    found = predict(model, [one.unannotated() for one in test])
    new = set(model.task.labels_in(test)) - set(model.task.labels_in(known))
    assert new and new <= set(model.task.labels_in(found))
    assert evaluate(model, test).score == pytest.approx(results[-1].score)


def test_labels_that_count_as_errors_at_k_0_are_said(name, experiment, done):
    _, folder = done
    notice = experiment.trainer.new_labels_notice(experiment.corpus.test)
    assert notice == NOTICES[name]
    assert json.loads((folder / PLAN_FILE).read_text())["facts"]["Plan"]["labels"] == notice


def test_zero_shot_is_scored_on_all_labels_and_beside_them_on_known_ones_only(name, source, encoder, done):
    results, _ = done
    if name == "topic":
        assert [one.k for one in results] == [40]
        assert [point.k for point in curves(results, prices.load())[0].points] == [40]
        return
    model, test = load_model(source, encoder), DATA[name][2]
    known = [model.task.masked(one) for one in test]
    known = [one for one in known if model.task.is_annotated(one)]
    assert results[0].known_only == pytest.approx(evaluate(model, known).score)
    task, guesses = model.task.fitted(test), predict(model, test)
    assert results[0].score == pytest.approx(score_predictions(task, test, guesses).score)
    assert results[0].known_only > results[0].score or name == "dep+subtypes"
    assert results[-1].known_only is None
    (curve,) = curves(results, prices.load())
    assert curve.points[-1].gain == pytest.approx(results[-1].score - results[0].score)
    shown = f"zero-shot, known labels only: {results[0].known_only:.1f}; all other scores count all labels"
    assert any(line.startswith(shown) for line in caveats([curve])) == (name != "dep+subtypes")


@pytest.mark.parametrize("name", ["ner+crf"], indirect=True)
def test_a_zero_shot_score_of_an_earlier_version_on_known_labels_only_is_scored_again(experiment, done, tmp_path):
    results, folder = done
    for part in (RESULTS, PLAN_FILE):
        shutil.copy(folder / part, tmp_path)
    part_score = replace(results[0], score=99.0, known_only=None)
    lines = [json.dumps(one.to_json()) + "\n" for one in (part_score, *results[1:])]
    (tmp_path / RESULTS).write_text("".join(lines), encoding="utf-8")
    again = execute(experiment, tmp_path, prices.load(), keep=False)
    assert [one.score for one in again] == [one.score for one in results]
    assert [one.score for one in read_results(tmp_path / RESULTS)] == [one.score for one in results]


def test_other_labels_are_another_run(name, experiment, source, encoder_folder):
    given, _, _ = DATA[name]
    plain = experiment_of(name, source, encoder_folder, given[:20], given[20:], (4,))
    assert plain.identity["labels"] == list(plain.trainer.source.task.labels)
    assert experiment.identity["labels"][: len(plain.identity["labels"])] == plain.identity["labels"]
    assert len(experiment.identity["labels"]) > len(plain.identity["labels"])
    assert plain.trainer.new_labels_notice(plain.corpus.test) == ""


@pytest.mark.parametrize("name", ["ner+crf"], indirect=True)
def test_source_data_with_labels_of_its_own_is_mixed_in_whole(source, name, encoder_folder, tmp_path):
    from fewshot.corpora.formats import conllu

    conllu.write(entities(30, 8, {"talo": "ORG"}), tmp_path / "english.conllu")
    changes = {**LEARNING, "regime": "joint", "updates": 2}
    plan = Plan(name, "xx", (4,), ("random",), 1, 1, method="freeze-0", changes=changes)
    corpus = corpus_of(*DATA["ner+crf"][1:])
    made = load_experiment(plan, corpus, str(encoder_folder), CPU, source, tmp_path / "english.conllu")
    assert made.trainer.task.choices == ("LOC", "DATE", "KIN", "ORG")


@pytest.mark.parametrize("name", ["topic"], indirect=True)
def test_zero_shot_alone_of_labels_that_nobody_knows_is_refused(name, source, encoder_folder):
    with pytest.raises(FewshotError, match=r"pelit and terveys are new to .*left out; ask for a k of 1 or more"):
        experiment_of(name, source, encoder_folder, *DATA[name][1:], ks=(0,))


def test_the_notebook_learns_new_labels_too(name, source, encoder):
    _, pool, _ = DATA[name]
    model = load_model(source, encoder)
    adapted = notebook.adapt(model, pool[:10], "freeze-0", **{**LEARNING, "updates": 2})
    assert set(adapted.task.choices) >= adapted.task.labels_in(pool[:10])
    assert model.task.labels == load_model(source, encoder).task.labels


def test_the_embedded_english_stands_in_with_the_labels_that_the_source_model_knows(encoder, encoder_folder, tmp_path):
    pool, test = DATA["topic"][1:]

    def mixed(*known):
        given = renamed("documents", 8, 1, dict(zip(("sports", "health"), known, strict=True)))
        folder, recipe = tmp_path / known[0], small_recipe(method="freeze-0", updates=2, batch=4, regime="sequential")
        train_source(tasks.get("topic").fitted(given), encoder, given, recipe, 0, CPU).save(folder)
        return experiment_of("topic", folder, encoder_folder, pool, test, (4,), regime="joint")

    made = mixed("sports", "travel")
    assert made.trainer.task.choices == ("sports", "travel", "pelit", "terveys")
    assert ": the others have other labels" in made.trainer.source_data_name
    with pytest.raises(FewshotError, match="the embedded English sample has other labels; give --source-data, or"):
        mixed("kin", "law")


@pytest.mark.parametrize("name", ["topic"], indirect=True)
def test_several_topics_are_learned_from_a_source_model_of_one(name, source, encoder_folder, tmp_path):
    one, other = (examples("documents", 60, seed) for seed in (4, 5))
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a.label != b.label]
    both = [replace(a, text=f"{a.text} {b.text}", label=f"{a.label}|{b.label}") for a, b in pairs]
    pool, test = [*one[:10], *both[:20]], [*one[10:20], *both[20:]]
    experiment = experiment_of("topic+several", source, encoder_folder, pool, test, (30,), updates=150)
    results, folder = execute(experiment, tmp_path, prices.load()), tmp_path / MODEL_FOLDER
    assert results[-1].score > 80 and results[-1].metrics.keys() == {"f1", "macro_f1"}
    with pytest.raises(FewshotError, match=r"a source model for task topic\+several, not topic"):
        experiment_of("topic", folder, encoder_folder, one, one[:20])
    assert any("|" in document.label for document in predict(load_model(folder), both))
