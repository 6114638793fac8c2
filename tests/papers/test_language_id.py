import json
import re

import pandas as pd
import pytest
import torch
from pretraining.making import write_lines

from fewshot.papers.language_id import accuracy, naive_bayes, probe_accuracy, translations


def test_lines_hold_all_languages_and_share_no_text(tmp_path):
    rows = ["en\tfi\tsv", "a\tb\tc", "d\te\t", "f\tb\tg", "f\th\ti", "d\tk\tl", "m\tn\to"]
    write_lines(tmp_path / "parallel" / "x.tsv.xz", rows)
    assert translations(tmp_path, ["fi", "en"]) == [("b", "a"), ("e", "d"), ("n", "m")]
    assert translations(tmp_path, ["en", "fi", "sv"]) == [("a", "b", "c"), ("d", "k", "l"), ("m", "n", "o")]


def test_accuracy_counts_right_guesses_line_by_line():
    guessed = torch.tensor([0, 1, 2] * 9 + [1, 2, 0])
    found = accuracy(guessed, 3)
    assert found["score"] == pytest.approx(90) and found["low"] < 90 < found["high"] <= 100
    assert accuracy(torch.tensor([0, 0]), 2)["score"] == 50


def test_the_probe_learns_on_one_half_and_is_scored_on_the_other():
    right = torch.eye(3).repeat(8, 1)
    assert probe_accuracy(right, 3)["score"] == 100
    turned = torch.cat([right[:12], right[:12].roll(1, 1)])
    assert probe_accuracy(turned, 3)["score"] == 0


def test_naive_bayes_weighs_pieces_by_their_counts(encoder):
    lines = [["a", "a", "b"], ["b", "c"], ["a"], ["c", "b"]]  # two lines of two languages, then what is guessed
    assert naive_bayes(encoder.tokenizer, lines, 2).tolist() == [0, 1]
    lines = [["a", "b", "b"], ["a"], ["a"], ["b"]]  # a: 2/(3+k) against 2/(1+k); b: 3/(3+k) against 1/(1+k)
    assert naive_bayes(encoder.tokenizer, lines, 2).tolist() == [1, 0]


@pytest.mark.parametrize("model", ["encoder_folder", "xlmr_folder"])
def test_every_layer_is_probed_and_the_papers_figure_stands_beside(measured, tmp_path, request, model):
    folder = request.getfixturevalue(model)
    result = measured("language-id", model=folder, seeds=2, ends=0)
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    layers = 1 + json.loads((folder / "config.json").read_text())["num_hidden_layers"]
    for name in ("pretrained", "untrained"):
        rows = table[table.encoder == name]
        assert sorted(zip(rows.seed, rows.layer, strict=True)) == [(s, n) for s in (0, 1) for n in range(layers)]
        assert rows.score.mean() > 80  # two languages of other letters, by the letters' vectors
    assert (table[table.encoder == "pieces alone"].score > 95).all()
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    mean = table[(table.encoder == "pretrained") & (table.layer == 0)].score.mean()
    for text in (page, result.output):
        assert f"{mean:.1f} [" in text and "around 96%" in text and "2 languages" in text
    assert re.search(r"chance\s+50\.0", result.output)
