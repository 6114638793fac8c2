"""``import fewshot as fs``: the walk of the command line as functions."""

import importlib
import os
from pathlib import Path

import numpy as np
import pytest
import torch

import fewshot as fs
from fewshot.cli.compare import compare
from fewshot.errors import FewshotError

pytestmark = pytest.mark.usefixtures("tiny_mini")


def test_from_pool_to_score():
    pool, test = fs.load("ja")
    shots = fs.sample(pool, k=5, sampler="longest")
    source = fs.source("pos")
    model = fs.adapt(source, shots, updates=2, device="cpu")
    assert fs.evaluate(model, test).score != fs.evaluate(source, test).score
    assert len(fs.predict(model, test)) == len(test)


def test_active_samplers_ask_a_model():
    pool, _ = fs.load("ja")
    shots = fs.sample(pool, k=3, sampler="entropy", model=fs.source("pos"))
    assert len(shots) == 3
    assert fs.sample(pool, k=5, sampler="entropy", model=fs.source("pos"))[:3] == shots
    assert fs.sample(pool, k=5, model=fs.source("pos")) == fs.sample(pool, k=5)
    with pytest.raises(FewshotError, match="sampler 'entropy' needs a model; give one"):
        fs.sample(pool, k=3, sampler="entropy")


def test_a_curve_is_run_once_and_its_folder_can_be_compared(tmp_path):
    settings = {"k": [2], "shot_sets": 1, "seeds": 1, "device": "cpu", "out": str(tmp_path / "a")}
    first = fs.curve("sw", updates=2, **settings)
    assert fs.curve("sw", updates=2, **settings) == first
    for same in (2, np.int64(2), np.array([0, 2])):
        assert fs.curve("sw", updates=2, **{**settings, "k": same}) == first
    assert list(first.frame()["k"]) == [0, 2]
    assert len(first.plot().data) == 2
    with pytest.raises(FewshotError, match="holds runs of another recipe"):
        fs.curve("sw", updates=3, **settings)
    compare([tmp_path / "a"], out=tmp_path / "report")
    assert (tmp_path / "report" / "report.html").is_file()


@pytest.mark.parametrize("k", [10.0, [10.0], "10", None])
def test_a_number_of_shots_that_is_not_whole_is_refused_in_one_line(k):
    with pytest.raises(FewshotError, match=r"^k is .*; give a whole number such as 10, or several such as \[10, 50\]$"):
        fs.curve("sw", k=k)


def test_source_data_may_be_a_string(sentences, tmp_path):
    fs.corpora.formats.conllu.write(sentences[:5], tmp_path / "english.conllu")
    model, changes = fs.source("pos"), {"regime": "joint", "updates": 1}
    fs.adapt(model, sentences[5:8], device="cpu", source_data=str(tmp_path / "english.conllu"), **changes)


def test_examples_may_come_from_a_generator_and_a_folder_may_be_a_string(sentences, tmp_path):
    source, pool = fs.source("pos", model=Path("mini")), sentences[:8]
    assert fs.sample(iter(pool), k=3) == fs.sample(pool, k=3)
    assert fs.predict(source, iter(pool)) == fs.predict(source, pool)
    assert fs.evaluate(source, iter(pool)) == fs.evaluate(source, pool)
    adapted = fs.adapt(source, iter(pool), updates=1, device=torch.device("cpu"))
    assert fs.predict(adapted, pool) == fs.predict(fs.adapt(source, pool, updates=1, device="cpu"), pool)
    adapted.save(str(tmp_path / "model"))
    assert (tmp_path / "model" / "model.json").is_file()


@pytest.mark.parametrize("act", [fs.predict, fs.evaluate, fs.adapt])
def test_what_is_no_list_of_examples_is_refused(act, sentences):
    with pytest.raises(FewshotError, match="Sentence is no list of sentences; put it in brackets"):
        act(fs.source("pos"), sentences[0])
    with pytest.raises(FewshotError, match="these are str; read examples with"):
        act(fs.source("pos"), ["a b"])


def test_unknown_name_and_missing_annotation():
    with pytest.raises(AttributeError, match="it has adapt"):
        _ = fs.colour
    with pytest.raises(FewshotError, match="unknown task"):
        fs.load("ja", task="colours")


def test_threads_wait_asleep_unless_the_user_says_otherwise(monkeypatch):
    name, asleep = fs.WAITING
    monkeypatch.delenv(name)
    for said in (asleep, "ACTIVE"):
        importlib.reload(fs)
        assert os.environ[name] == said
        monkeypatch.setenv(name, "ACTIVE")
