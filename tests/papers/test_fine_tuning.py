import numpy as np
import pandas as pd
import pytest
import torch
from making import write_treebanks
from scipy.stats import ttest_rel

from fewshot import tasks
from fewshot.experiments.executors.place import this_process
from fewshot.papers.fine_tuning import (
    CROSS,
    DOMAIN,
    SAME,
    FineTuningStudy,
    Mean,
    TransferSetting,
    Variant,
    difference,
    mean,
    prepare,
    recipe_of,
    score,
)
from fewshot.papers.measurements import StudyRun
from fewshot.training import presets


@pytest.fixture
def transfers(encoder_folder):
    """Finds the data of a study of a tiny encoder."""
    sizes = {"sentences": 20, "updates": 1, "seeds": 1}

    def find(names, sources, langs, folder, tests, warn):
        run = StudyRun(this_process(torch.device("cpu")), folder, print, warn)
        return prepare(names, sources, langs, [folder], str(encoder_folder), run, tests=tests, **sizes).transfers

    return find


@pytest.fixture(scope="module")
def table():
    """Scores of two variants on three test sets, which all depend on the seed."""
    rng = np.random.default_rng(0)
    rows = [
        {"seed": seed, "variant": variant, "test": test, "score": 50 + 5 * seed + rng.normal()}
        for variant in ("b", "a")
        for seed in range(4)
        for test in "xyz"
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=0)


def by_hand(table, variant):
    lines = table[table.variant == variant]
    return [np.mean([row.score for row in lines.itertuples() if row.seed == seed]) for seed in range(4)]


def test_a_difference_is_paired_by_seed_over_the_mean_of_the_test_sets(table):
    ours, known = difference(table, "b", "a"), ttest_rel(by_hand(table, "b"), by_hand(table, "a"))
    interval = known.confidence_interval(0.95)
    assert ours.value == pytest.approx(np.mean(by_hand(table, "b")) - np.mean(by_hand(table, "a")))
    assert ours[1:] == pytest.approx([interval.low, interval.high])
    apart = score(table, "b")
    assert apart.high - apart.low > 2 * (ours.high - ours.low)  # what seeds have in common is gone


def test_one_seed_has_no_interval():
    assert mean([1.25]) == Mean(1.25, 1.25, 1.25)
    assert (f"{mean([1.25]):+}", f"{Mean(-0.04, -1, 1):+}", f"{Mean(70, 69, 71)}") == (
        "+1.2",
        "+0.0 [-1.0, 1.0]",
        "70.0 [69.0, 71.0]",
    )


def test_test_sets_are_told_apart_by_language_and_collection(tmp_path, transfers):
    for name in ("one", "two"):
        write_treebanks(tmp_path / name)
    (tmp_path / "two" / "en_made").rename(tmp_path / "one" / "en_zother")
    (transfer,) = transfers(["pos"], ["en"], ["fi", "en"], tmp_path / "one", 10, pytest.fail)
    assert transfer.train.folder.name == "en_made" and len(transfer.train.examples) == 20
    found = [(test.lang, test.relation, test.examples.folder.name) for test in transfer.tests]
    assert found == [("en", SAME, "en_made"), ("en", DOMAIN, "en_zother"), ("fi", CROSS, "fi_made")]
    assert {len(test.examples.examples) for test in transfer.tests} == {10}


def test_each_source_is_a_target_of_the_others(tmp_path, transfers):
    write_treebanks(tmp_path)
    said = []
    found = transfers(["pos", "nli"], ["en", "fi"], ["fi", "sv"], tmp_path, 100, said.append)
    assert [(one.source, [test.lang for test in one.tests]) for one in found] == [
        ("en", ["en", "fi"]),
        ("fi", ["fi", "en"]),
    ]
    assert "no task has a test set in sv" in said
    assert "nli is left out: no training file in en" in said


@pytest.mark.parametrize(("method", "frozen"), [("full", 0), ("freeze-2", 2), ("freeze-none", None)])
def test_all_layers_of_a_small_encoder_are_trained_where_the_method_freezes_none(encoder, monkeypatch, method, frozen):
    monkeypatch.setattr(presets, "encoder_size", lambda encoder: presets.SMALL)
    study = FineTuningStudy(encoder, (), 5, 1, None)
    setting = TransferSetting(tasks.get("pos"), "en", None, ())
    recipe = recipe_of(study, setting, Variant("none", method))
    assert recipe.resolve(20, 20, depth=6).frozen == frozen
    assert presets.source(setting.task, presets.SMALL).resolve(20, 20, depth=6).frozen == 3
