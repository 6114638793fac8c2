"""``fewshot pretrain`` through the command line's runner."""

import pytest
from pretraining.making import write_lines
from typer.testing import CliRunner

from fewshot.cli import app

SMALL = """
vocabulary = 80
tokenizer_sentences = 400
hidden = 4
layers = 1
heads = 2
intermediate = 16
mlm_sentences = 400
batch = 4
"""


@pytest.fixture
def call(folder, tmp_path):
    def run(settings):
        (tmp_path / "small.toml").write_text(SMALL + settings)
        words = ["pretrain", tmp_path / "small.toml", "--corpus", folder, "--out", tmp_path / "out", "--device", "cpu"]
        return CliRunner().invoke(app, [str(word) for word in words])

    return run


def test_pretrain_prints_steps_scores_and_what_it_took(call, folder, tmp_path):
    write_lines(folder / "mono" / "sv.txt.xz", [*(f"hus {number}" for number in range(20)), b"\xff\n"])
    result = call("updates = 60")
    assert result.exit_code == 0, result.output
    assert "warning: 1 corrupt lines are left out: " in result.output
    assert "update 50/60  loss " in result.output and "update 60/60" in result.output
    assert [line.split()[0] for line in result.output.splitlines()[-6:-2]] == ["held", "en", "fi", "mean"]
    assert " pieces seen, 0.0 MFLOP each" in result.output
    assert f"saved: {tmp_path / 'out'}" in result.output
    again = call("updates = 60")
    assert again.exit_code == 0
    assert again.output == f"finished already: {tmp_path / 'out'}\n"
    assert call("updates = 70").exit_code == 2


@pytest.mark.parametrize("settings", ["length = 0", "transforms.en = 3", "transforms.sw = ['fake']"])
def test_bad_input_ends_with_one_line(call, settings):
    result = call(settings)
    assert result.exit_code == 2
    assert result.output.splitlines()[-1].startswith("error: ")
