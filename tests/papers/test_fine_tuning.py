import numpy as np
import pandas as pd
import pytest
from making import write_treebanks
from scipy.stats import ttest_rel

from fewshot import tasks
from fewshot.encoders.load import load_encoder
from fewshot.encoders.random_init import reinitialise
from fewshot.papers.fine_tuning import CROSS, DOMAIN, SAME, Mean, difference, find, mean, score, train_source
from fewshot.papers.layers import scaled, variants
from fewshot.papers.random_init import PAIRS, chosen, deltas, groups, matching
from fewshot.training import presets


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


def test_test_sets_are_told_apart_by_language_and_collection(tmp_path):
    for name in ("one", "two"):
        write_treebanks(tmp_path / name)
    (tmp_path / "two" / "en_made").rename(tmp_path / "one" / "en_zother")
    (transfer,) = find(["pos"], ["en"], ["fi", "en"], [tmp_path / "one"], 20, 10, pytest.fail)
    assert transfer.train.folder.name == "en_made" and len(transfer.train.examples) == 20
    found = [(test.lang, test.relation, test.examples.folder.name) for test in transfer.tests]
    assert found == [("en", SAME, "en_made"), ("en", DOMAIN, "en_zother"), ("fi", CROSS, "fi_made")]
    assert {len(test.examples.examples) for test in transfer.tests} == {10}


def test_each_source_is_a_target_of_the_others(tmp_path):
    write_treebanks(tmp_path)
    said = []
    found = find(["pos", "nli"], ["en", "fi"], ["fi", "sv"], [tmp_path], 20, 100, said.append)
    assert [(one.source, [test.lang for test in one.tests]) for one in found] == [
        ("en", ["en", "fi"]),
        ("fi", ["fi", "en"]),
    ]
    assert "no task has a test set in sv" in said
    assert "nli is left out: no training file in en" in said


@pytest.mark.parametrize(
    ("depth", "bottoms"),
    [(12, [0, 3, 6, 9]), (6, [0, 1, 3, 4]), (3, [0, 1, 2]), (1, [0])],
)
def test_the_papers_bottoms_are_scaled_and_never_freeze_all(depth, bottoms):
    assert scaled(depth) == bottoms
    recipes = [presets.source(tasks.get("pos"), "new", variant.method) for variant in variants(depth, [])]
    frozen = [recipe.resolve(1000, 1000, depth).frozen for recipe in recipes]
    assert frozen == [None, *bottoms, depth]  # everything is trained first, the feature-based encoder stays


def test_the_report_shows_differences_to_training_everything(fine_tune, tmp_path):
    result = fine_tune("layers", frozen="0,2", ends=0)
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    assert list(dict.fromkeys(table.variant)) == ["all trained", "n = 0", "n = 2", "feature-based"]
    scores = table[table.lang == "fi"].pivot(index="seed", columns="variant", values="score")
    gain = mean(scores["n = 2"] - scores["all trained"])
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for text in (page, result.output):
        assert f"{gain:+}" in text and "n = 3 of 12" in text and "mean of 1 other languages" in text


def test_the_embedded_sample_serves_sentence_level_tasks(fine_tune):
    result = fine_tune("layers", data=None, task="nli", langs="ja,sw", seeds=1, updates=1, frozen="1", ends=0)
    assert "mean of 2 other languages" in result.output and "n = 6 of 12" in result.output


def test_groups_are_sixths_and_all():
    pairs = [(1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12)]
    assert groups(12) == [*pairs, tuple(range(1, 13))]
    assert groups(24)[0] == (1, 2, 3, 4) and len(groups(24)) == 7
    assert groups(2) == [(1,), (2,), (1, 2)] and groups(1) == [(1,)]
    assert chosen("single", 2) == [(1,), (2,)] and chosen("2, 1-2,2", 2) == [(2,), (1, 2)]


@pytest.mark.parametrize("depth", [1, 5, 6, 7, 12])
def test_the_papers_pairs_stand_beside_the_same_share_of_the_depth(depth):
    each = [matching(group, depth) for group in groups(depth) if len(group) < depth or depth == 1]
    assert all(each)
    assert {pair for pairs in each for pair in pairs} >= ({*PAIRS} if depth != 5 else {(1, 2), (11, 12)})
    if depth in (6, 12):
        assert each == [[pair] for pair in PAIRS]


def test_the_papers_figures():
    assert deltas("dep", "en", CROSS, (1, 2), 12) == [-15.77]
    assert deltas("dep", "en", SAME, (1,), 6) == [-0.96]
    assert deltas("pos", "ru", "ja", (6,), 6) == [1.12]
    assert deltas("dep", "en", CROSS, (1,), 2) == [-15.77, -6.51, -3.39]
    assert deltas("pos", "en", DOMAIN, (1, 2), 12) == [-0.58, -1.07, -2.38]
    assert deltas("pos", "en", "tr", (1, 2), 2) == [pytest.approx(32.23 - 72.65)]
    assert deltas("dep", "en", "sv", (1, 2), 12) == deltas("nli", "en", "ja", (1,), 2) == []


def test_only_the_layers_named_are_exchanged_and_the_report_compares(fine_tune, tmp_path, monkeypatch, xlmr_folder):
    seen, train = [], train_source

    def spying(task, encoder, examples, recipe, seed, on):
        seen.append((encoder.fingerprint, seed))
        return train(task, encoder, examples, recipe, seed, on)

    monkeypatch.setattr("fewshot.papers.fine_tuning.train_source", spying)
    result = fine_tune("random-init", model=xlmr_folder, layers="1,3-4", source="en,fi", updates=1, ends=0)
    encoder = load_encoder(str(xlmr_folder))
    exchanged = [
        (reinitialise(encoder, layers, seed).fingerprint, seed) for seed in (0, 1) for layers in ((), (1,), (3, 4))
    ]
    assert seen == exchanged * 2  # for English, then for Finnish
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    assert len(table) == 2 * 3 * (3 + 2)  # its other collection serves English alone
    lines = table[(table.source == "en") & (table.relation == "another domain")]
    scores = lines.pivot(index="seed", columns="variant", values="score")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for text in (page, result.output):
        assert f"{mean(scores['1'] - scores['none']):+}" in text
        assert "-8.9 to -2.5" in text  # the paper's layers 1-2 and 3-4
        assert (
            "Re-initialising layer 1 of 4 (paper, mBERT: layers 1-4 of 12) changes POS tagging accuracy (%) by" in text
        )
        assert "no pretraining has ever moved" not in text


def test_layers_that_were_never_trained_are_said(fine_tune):
    result = fine_tune("random-init", seeds=1, layers="1")
    assert "But no pretraining has ever moved layers 1, 2 of" in result.output
