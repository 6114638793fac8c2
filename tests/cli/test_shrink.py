"""``fewshot shrink``."""

import pytest
from cli.calls import call
from pretraining.making import write_corpus


@pytest.fixture
def shrink(encoder_folder, tmp_path):
    return lambda *options: call("shrink", encoder_folder, tmp_path / "out", "--device", "cpu", *options)


def test_shrink_prints_what_was_lost_and_won(shrink, tmp_path):
    write_corpus(tmp_path / "corpus")
    options = ["--layers", "1", "--corpus", tmp_path / "corpus", "--updates", "3", "--batch", "4"]
    result = shrink(*options)
    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.output.splitlines()[-5:]] == ["held", "en", "fi", "mean", "saved:"]
    again = shrink(*options)
    assert again.exit_code == 0
    assert again.output == f"finished already: {tmp_path / 'out'}\n"
    other = shrink(*options, "--seed", "1")
    assert other.exit_code == 2
    assert other.output.splitlines()[-1].endswith("holds another encoder; give another folder, or delete it")


def test_the_cut_alone_has_no_figures(shrink):
    result = shrink("--layers", "1")
    assert result.exit_code == 0, result.output
    assert len(result.output.splitlines()) == 1 and result.output.startswith("saved: ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--layers", "3"], "the encoder has 2 layers, of which 3 cannot be kept"),
        (["--pieces", "20"], "20 pieces are too few"),
        (["--pieces", "100", "--by-corpus"], "give --corpus"),
        (["--bits", "5"], "weights of 5 bits cannot be written"),
        (["--updates", "0"], "are too few"),
        (["--corpus", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_ends_with_one_line(shrink, options, said):
    result = shrink(*options)
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1 and result.output.startswith("error: ")
    assert said in result.output
