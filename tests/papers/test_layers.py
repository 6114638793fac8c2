"""``fewshot analyze layers`` on made-up treebanks."""

import pandas as pd
import pytest

from fewshot import tasks
from fewshot.papers.fine_tuning import differences
from fewshot.papers.fine_tuning.fine_tune import train_source
from fewshot.papers.layers import scaled, variants
from fewshot.training import presets


@pytest.mark.parametrize(
    ("depth", "bottoms"),
    [(12, [0, 3, 6, 9]), (24, [0, 6, 12, 18]), (6, [0, 1, 3, 4]), (3, [0, 1, 2]), (2, [0, 1]), (1, [0])],
)
def test_the_papers_bottoms_are_scaled_and_never_freeze_all(depth, bottoms):
    assert scaled(depth) == bottoms
    recipes = [presets.source(tasks.get("pos"), "new", variant.method) for variant in variants(depth, [])]
    frozen = [recipe.resolve(1000, 1000, depth).frozen for recipe in recipes]
    assert frozen == [None, *bottoms, depth]  # everything is trained first, the feature-based encoder stays


def test_a_stopped_analysis_goes_on_and_repeats_nothing(fine_tune, tmp_path, monkeypatch):
    begun, train = [], train_source

    def stopping(task, encoder, examples, recipe, seed, on):
        begun.append((recipe.method, seed))
        if len(begun) == 3:
            raise KeyboardInterrupt
        return train(task, encoder, examples, recipe, seed, on)

    monkeypatch.setattr("fewshot.papers.fine_tuning.fine_tune.train_source", stopping)
    assert fine_tune("layers").exit_code == 130
    kept = (tmp_path / "out" / "cells.jsonl").read_bytes()
    assert kept.count(b"\n") == 2
    for _ in range(2):
        again = fine_tune("layers")
        assert again.exit_code == 0, again.output
    assert (tmp_path / "out" / "cells.jsonl").read_bytes().startswith(kept)
    methods = ("freeze-none", "freeze-0", "freeze-1", "feature-based")
    wanted = [(method, seed) for seed in (0, 1) for method in methods]
    assert begun == [*wanted[:3], *wanted[2:]]


def test_processes_find_what_one_does(fine_tune, tmp_path, one_thread):
    found = []
    for jobs, folder in ((None, tmp_path / "alone"), (2, tmp_path / "both")):
        result = fine_tune("layers", jobs=jobs, out=folder, seeds=1)
        assert result.exit_code == 0, result.output
        found.append(pd.read_csv(folder / "table.csv").drop(columns="seconds"))
    pd.testing.assert_frame_equal(*found)


def test_the_report_shows_differences_to_training_everything(fine_tune, tmp_path):
    result = fine_tune("layers", frozen="0,2")
    assert result.exit_code == 0, result.output
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    assert list(dict.fromkeys(table.variant)) == ["all trained", "n = 0", "n = 2", "feature-based"]
    scores = table[table.lang == "fi"].pivot(index="seed", columns="variant", values="score")
    gain = differences.mean(scores["n = 2"] - scores["all trained"])
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for text in (page, result.output):
        assert f"{gain:+}" in text and "n = 3 of 12" in text and "mean of 1 other languages" in text


def test_the_embedded_sample_serves_sentence_level_tasks(fine_tune):
    result = fine_tune("layers", data=None, task="nli", langs="ja,sw", seeds=1)
    assert result.exit_code == 0, result.output
    assert "mean of 2 other languages" in result.output and "n = 6 of 12" in result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"langs": "xx"}, "no training file"),
        ({"source": ","}, "--source takes one or more languages"),
        ({"task": "abacus"}, "unknown task 'abacus'"),
        ({"data": "nowhere"}, "no such folder"),
        ({"model": "./nothing"}, "no encoder here"),
        ({"frozen": "3"}, "the encoder has 2 layers; give numbers from 0 to 2"),
        ({"frozen": "x"}, "is no number of layers"),
        ({"seeds": 0}, "--seeds is 0; it must be at least 1"),
        ({"updates": 0}, "--updates is 0; it must be at least 1"),
        ({"sentences": 0}, "--sentences is 0; it must be at least 1"),
        ({"test_sentences": 0}, "--test-sentences is 0; it must be at least 1"),
        ({"device": "abacus"}, "cannot be used"),
    ],
)
def test_bad_input_ends_with_one_line(fine_tune, options, message):
    result = fine_tune("layers", **options)
    assert result.exit_code == 2
    assert result.output.splitlines()[-1].startswith("error: ")
    assert message in result.output or (message == "no training file" and "nothing to score: pos" in result.output)
    assert all(line.startswith("warning: ") for line in result.output.splitlines()[:-1])
