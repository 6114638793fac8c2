"""The benchmarks run and count what they say; what they measure is no matter of tests."""

import pytest
import torch
from benchmarks import pretraining_throughput as throughput
from benchmarks.nearest_source import nearest
from benchmarks.recipes import halves, table
from benchmarks.side_by_side import cell, in_turns, ratios
from pretraining.making import build, write_corpus

SETTINGS = "hidden = 4\nlayers = 1\nheads = 2\nintermediate = 16\nbatch = 4\nmlm_sentences = 400\nupdates = 0\n"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder)
    return folder


@pytest.fixture(scope="module")
def encoder(corpus, tmp_path_factory):
    return build(corpus, tmp_path_factory.mktemp("encoder"))[0]


def test_throughput_prints_rates_and_their_ratio(corpus, encoder, tmp_path, capsys):
    (tmp_path / "c.toml").write_text(SETTINGS)
    words = ["--config", tmp_path / "c.toml", "--corpus", corpus, "--model", encoder.name, "--device", "cpu"]
    throughput.main([*map(str, words), "--updates", "3", "--turns", "2", "--peak-tflops", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:3]] == ["warm-up", "turn 1", "turn 2"]
    assert f"1 layers x 4, {len(encoder.tokenizer)} pieces, batch 4" in lines[3]
    titles = ("tokens/s", "model MFLOP", "GFLOP/s achieved", "GFLOP/s, multi", "utilisation", "% of", "% of")
    assert all(line.strip().startswith(title) for line, title in zip(lines[4:], titles, strict=True))


def test_cell_has_an_interval_where_there_are_several_seeds():
    assert cell([40.0]) == "40.0"
    assert cell([40.0, 42.0, 44.0]) == "42.0 ± 5.0"  # t = 4.303 with two degrees of freedom, 2 / sqrt(3)


def test_sides_take_turns_and_ratios_are_pair_by_pair(capsys):
    order, figures = [], iter([9.0, 9.0, 2.0, 1.0, 6.0, 2.0, 5.0, 1.0])
    sides = {name: lambda name=name: order.append(name) or next(figures) for name in ("a", "b")}
    turns = in_turns(sides, 3)
    assert "".join(order) == "baabbaab"
    assert turns == [{"a": 2, "b": 1}, {"b": 6, "a": 2}, {"a": 5, "b": 1}]
    assert ratios(turns, "b") == {"a": "2.00 (0.33 to 5.00)"} and ratios(turns) == {"b": "0.50 (0.20 to 3.00)"}
    assert capsys.readouterr().out.splitlines()[:2] == ["warm-up: a 9.00 s, b 9.00 s", "turn 1: a 2.00 s, b 1.00 s"]
    with pytest.raises(SystemExit, match="no side 'c'; choose from a, b"):
        ratios(turns, "c")


def test_recipes_lead_over_the_preset_of_the_same_shots():
    found = {("he", 0, "preset", 0): 50.0}
    for data, number, preset, other in (("he", 0, 60.0, 61.0), ("he", 1, 62.0, 65.0), ("eu", 0, 40.0, 42.0)):
        found |= {(data, 10, "preset", number): preset, (data, 10, "other", number): other}
    spent = {key: 4.0 if key[2] == "preset" else 2.0 + key[3] for key in found}
    assert list(table(found, spent, [10])) == [
        "| recipe | k = 10 |",
        "|---|---:|",
        "| zero-shot | 50.0 |",
        "| preset | 54.0, 4.0 s |",
        "| other | 56.0 (2.0 ± 2.5), 2.3 s |",
    ]


def test_shots_and_what_is_scored_never_overlap():
    pool, test = halves(range(100), tested=300)
    assert (len(pool), len(test)) == (50, 50)
    assert not set(pool) & set(test)


def test_nearest_sentences_are_those_of_a_small_angle_to_some_shot_each_once():
    mean = torch.tensor([1.0, 1.0])
    candidates = torch.tensor([[2.0, 1.0], [1.0, 9.0], [9.0, 1.1], [1.0, 0.0]])
    shots = torch.tensor([[3.0, 1.0], [4.0, 1.0]])
    assert nearest(shots, candidates, mean, 2) == [0, 2]
    assert nearest(torch.cat([shots, torch.tensor([[1.0, 2.0]])]), candidates, mean, 1) == [0, 1]
