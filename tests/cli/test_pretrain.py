"""``fewshot pretrain``."""

import pytest
from cli.calls import call
from pretraining.making import write_corpus, write_lines

SMALL = """
vocabulary = 80
tokenizer_sentences = 100
hidden = 4
layers = 1
heads = 2
intermediate = 16
mlm_sentences = 100
batch = 4
"""


@pytest.fixture
def folder(tmp_path):
    write_corpus(tmp_path / "corpus")
    return tmp_path / "corpus"


@pytest.fixture
def pretrain(folder, tmp_path):
    def run(settings):
        (tmp_path / "small.toml").write_text(SMALL + settings)
        out = tmp_path / "out"
        return call("pretrain", tmp_path / "small.toml", "--corpus", folder, "--out", out, "--device", "cpu")

    return run


def test_pretrain_prints_steps_scores_and_what_it_took(pretrain, folder, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.cli.common.lines.FIRST_SECONDS", 0)
    monkeypatch.setattr("fewshot.cli.common.lines.LINE_SECONDS", 0)
    write_lines(folder / "mono" / "sv.txt.xz", [*(f"hus {number}" for number in range(20)), b"\xff\n"])
    result = pretrain("updates = 52")
    assert result.exit_code == 0, result.output
    assert "warning: 1 corrupt lines are left out: " in result.output
    assert "language modelling  50/52  loss " in result.output and "language modelling  52/52" in result.output
    assert [line.split()[0] for line in result.output.splitlines()[-6:-2]] == ["held", "en", "fi", "mean"]
    assert " pieces seen, 0.0 MFLOP each" in result.output
    assert f"saved: {tmp_path / 'out'}" in result.output
    again = pretrain("updates = 52")
    assert again.exit_code == 0
    assert again.output == f"finished already: {tmp_path / 'out'}\n"
    assert pretrain("updates = 53").exit_code == 2


@pytest.mark.parametrize("settings", ["length = 0", "transforms.en = 3", "transforms.sw = ['fake']"])
def test_bad_input_ends_with_one_line(pretrain, settings):
    result = pretrain(settings)
    assert result.exit_code == 2
    assert result.output.splitlines()[-1].startswith("error: ")
