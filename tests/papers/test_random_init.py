import pandas as pd
import pytest

from fewshot.encoders.load import load_encoder
from fewshot.encoders.random_init import reinitialise
from fewshot.papers.fine_tuning import CROSS, DOMAIN, SAME, mean, train_source
from fewshot.papers.random_init import PAIRS, layer_groups, matching_pairs, paper_differences, parse_layers


def test_groups_are_sixths_and_all():
    pairs = [(1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12)]
    assert layer_groups(12) == [*pairs, tuple(range(1, 13))]
    assert layer_groups(24)[0] == (1, 2, 3, 4) and len(layer_groups(24)) == 7
    assert layer_groups(2) == [(1,), (2,), (1, 2)] and layer_groups(1) == [(1,)]
    assert parse_layers("single", 2) == [(1,), (2,)] and parse_layers("2, 1-2,2", 2) == [(2,), (1, 2)]


@pytest.mark.parametrize("depth", [1, 5, 6, 7, 12])
def test_the_papers_pairs_stand_beside_the_same_share_of_the_depth(depth):
    each = [matching_pairs(group, depth) for group in layer_groups(depth) if len(group) < depth or depth == 1]
    assert all(each)
    assert {pair for pairs in each for pair in pairs} >= ({*PAIRS} if depth != 5 else {(1, 2), (11, 12)})
    if depth in (6, 12):
        assert each == [[pair] for pair in PAIRS]


def test_the_papers_figures():
    assert paper_differences("dep", "en", CROSS, (1, 2), 12) == [-15.77]
    assert paper_differences("dep", "en", SAME, (1,), 6) == [-0.96]
    assert paper_differences("pos", "ru", "ja", (6,), 6) == [1.12]
    assert paper_differences("dep", "en", CROSS, (1,), 2) == [-15.77, -6.51, -3.39]
    assert paper_differences("pos", "en", DOMAIN, (1, 2), 12) == [-0.58, -1.07, -2.38]
    assert paper_differences("pos", "en", "tr", (1, 2), 2) == [pytest.approx(32.23 - 72.65)]
    assert paper_differences("dep", "en", "sv", (1, 2), 12) == paper_differences("nli", "en", "ja", (1,), 2) == []


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
