"""``fewshot adapt-encoder``."""

import pytest
from cli.calls import call
from cli.test_source import FEW_UPDATES
from making import made_up

from fewshot.encoders.load import load_encoder


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(sentence.text for sentence in made_up(120, seed=3)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def adapt(encoder_folder, text, tmp_path):
    given = ["--text", text, "--lang", "fi", "--out", tmp_path / "out", "--device", "cpu", "--batch", "4"]
    return lambda *options: call("adapt-encoder", encoder_folder, *given, *options)


def test_it_prints_perplexities_and_its_folder_stands_for_a_model(adapt, place, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.training.presets.SOURCE", FEW_UPDATES)
    options = ["--updates", "5", "--new-pieces", "3"]
    result = adapt(*options)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["held", "fi"]
    assert lines[2].startswith("new pieces: ")
    assert lines[3].startswith("updates: 5; pieces read: ")
    assert lines[-1] == f"saved: {tmp_path / 'out'}"
    again = adapt(*options)
    assert again.output == f"finished already: {tmp_path / 'out'}\n"
    other = adapt(*options, "--seed", "1")
    assert other.exit_code == 2
    assert other.output.endswith("holds another encoder; give another folder, or delete it\n")
    trained = call(
        *("source", "--data", place / "english.conllu", "--model", tmp_path / "out", "--updates", "2"),
        *("--device", "cpu", "--out", tmp_path / "source"),
    )
    assert trained.exit_code == 0, trained.output
    ran = call(
        *("run", "--lang", "xx", "--data", place / "xx", "--k", "0", "--out", tmp_path / "run"),
        *("--model", tmp_path / "out", "--source", tmp_path / "source"),
    )
    assert ran.exit_code == 0, ran.output


def test_another_script_is_read_in_latin_letters_and_saved_so(adapt, text, tmp_path):
    latin = text.read_text(encoding="utf-8")
    text.write_text(latin.translate(str.maketrans("aeiou", "αειου")), encoding="utf-8")
    assert adapt("--updates", "3", "--romanize").exit_code == 0
    tokenizer = load_encoder(str(tmp_path / "out")).tokenizer
    plain = latin.replace("u", "y")  # as υ is written
    assert tokenizer.tokenize(text.read_text(encoding="utf-8")) == tokenizer.tokenize(plain)
    assert adapt("--updates", "3").output.endswith("holds another encoder; give another folder, or delete it\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--minutes", "1", "--updates", "5"], "give one of them"),
        (["--updates", "0"], "give one of them, above 0"),
        (["--train", "head"], "unknown part of an encoder to train 'head'"),
        (["--also", "nowhere.txt"], "nowhere.txt: no such file"),
        (["--romanize"], "the text has Latin letters alone; leave --romanize out"),
    ],
)
def test_bad_input_ends_with_one_line(adapt, options, said):
    result = adapt(*options)
    assert result.exit_code == 2
    assert len(result.output.splitlines()) == 1 and result.output.startswith("error: ")
    assert said in result.output
