"""Features and lemmas from the English model to a labelled file, by command."""

import pytest
from cli.calls import call
from making import made_up, with_morphology

from fewshot import tasks
from fewshot.corpora.formats import conllu
from fewshot.curves.results import read_results
from fewshot.training import presets


@pytest.fixture
def treebank(tmp_path):
    """A treebank whose test set has features that nothing else has."""
    (tmp_path / "xx").mkdir()
    test = [with_morphology(one) for one in made_up(8, seed=6, name="test")]
    test = [one.annotated(feats=("Only=Here", *one.feats[1:])) for one in test]
    conllu.write(map(with_morphology, made_up(20, seed=5, name="pool")), tmp_path / "xx" / "pool.conllu")
    conllu.write(test, tmp_path / "xx" / "test.conllu")
    conllu.write(map(with_morphology, made_up(20, seed=7)), tmp_path / "english.conllu")
    return tmp_path


def test_ten_sentences_buy_features_and_lemmas(place, treebank, monkeypatch):
    monkeypatch.setattr(presets, "SOURCE", (*presets.SOURCE, (presets.ANY, presets.ANY, presets.ANY, {"least": 1})))
    task, out = tasks.get("pos+feats+lemma+xpos"), treebank / "out"
    fixed = ["--task", task.name, "--model", place / "encoder"]
    trained = call(
        "source", *fixed, "--data", treebank / "english.conllu", "--updates", "100", "--out", treebank / "source"
    )
    assert trained.exit_code == 0, trained.output
    result = call(
        "run", *fixed, "--source", treebank / "source", "--lang", "xx", "--data", treebank / "xx", "--k", "3",
        "--updates", "2", "--seeds", "1", "--shot-sets", "1", "--out", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert task.score_label in " ".join(result.output.split())  # a long one takes two lines
    results = read_results(out / "results.jsonl")
    assert [(one.k, one.metric) for one in results] == [(0, task.metric), (3, task.metric)]
    assert {"accuracy", task.metric} <= results[0].metrics.keys()
    (treebank / "new.txt").write_text("iso talo nukkuu .\n", encoding="utf-8")
    assert call("predict", out / "model", treebank / "new.txt", "--out", treebank / "new.conllu").exit_code == 0
    (labelled,) = conllu.read(treebank / "new.conllu", columns=task.columns)
    assert labelled.predicted == tuple(column for column in conllu.NAMES if column in task.columns)
    for column in ("feats", "lemmas", "xpos"):
        values = getattr(labelled, column)
        assert len(values) == 4 and "_" not in values


def test_a_treebank_without_features_is_one_line(place, tmp_path):
    conllu.write(made_up(10, seed=5), tmp_path / "xx.conllu")
    for command in (
        ["run", "--task", "pos+feats", "--lang", "xx", "--data", tmp_path / "xx.conllu", "--model", place / "encoder"],
        ["source", "--task", "pos+feats", "--data", tmp_path / "xx.conllu", "--model", place / "encoder"],
        ["data", "check", tmp_path / "xx.conllu", "--task", "pos+feats"],
    ):
        result = call(*command)
        assert result.exit_code == 2
        assert "FEATS is empty everywhere, and task pos+feats needs it" in " ".join(result.output.split())
