import pytest
from cli.calls import FEW_UPDATES, call
from making import made_up
from pretraining.making import write_corpus, write_lines


def check_that_it_is_made_once(make, out, same, other):
    """The same command leaves what is finished alone; one of other settings is refused."""
    again = make(*same)
    assert (again.exit_code, again.output) == (0, f"finished already: {out}\n")
    refused = make(*other)
    assert refused.exit_code == 2
    assert refused.output.endswith("holds another encoder; give another folder, or delete it\n")


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
    check_that_it_is_made_once(adapt, tmp_path / "out", options, [*options, "--seed", "1"])
    source = ["--data", place / "english.conllu", "--updates", "2", "--out", tmp_path / "source"]
    call("source", "--model", tmp_path / "out", "--device", "cpu", *source, ends=0)
    options = ["--model", tmp_path / "out", "--source", tmp_path / "source", "--k", "0", "--out", tmp_path / "run"]
    call("run", "--lang", "xx", "--data", place / "xx", *options, ends=0)


@pytest.fixture
def shrink(encoder_folder, tmp_path):
    return lambda *options: call("shrink", encoder_folder, tmp_path / "out", "--device", "cpu", *options)


def test_shrink_prints_what_was_lost_and_won(shrink, tmp_path):
    write_corpus(tmp_path / "corpus")
    options = ["--layers", "1", "--corpus", tmp_path / "corpus", "--updates", "3", "--batch", "4"]
    result = shrink(*options)
    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.output.splitlines()[-5:]] == ["held", "en", "fi", "mean", "saved:"]
    check_that_it_is_made_once(shrink, tmp_path / "out", options, [*options, "--seed", "1"])


def test_the_cut_alone_has_no_figures(shrink):
    result = shrink("--layers", "1")
    assert result.exit_code == 0, result.output
    assert len(result.output.splitlines()) == 1 and result.output.startswith("saved: ")


SMALL = {"vocabulary": 80, "tokenizer_sentences": 100, "hidden": 4, "layers": 1, "heads": 2, "intermediate": 16}
SMALL |= {"mlm_sentences": 100, "batch": 4}


@pytest.fixture
def pretrain(tmp_path):
    write_corpus(tmp_path / "corpus")

    def run(settings):
        lines = [*(f"{name} = {value}" for name, value in SMALL.items()), settings]
        (tmp_path / "small.toml").write_text("\n".join(lines))
        given = ["--corpus", tmp_path / "corpus", "--out", tmp_path / "out", "--device", "cpu"]
        return call("pretrain", tmp_path / "small.toml", *given)

    return run


def test_pretrain_prints_steps_scores_and_what_it_took(pretrain, tmp_path, monkeypatch):
    monkeypatch.setattr("fewshot.cli.common.progress.FIRST_SECONDS", 0)
    monkeypatch.setattr("fewshot.cli.common.progress.LINE_SECONDS", 0)
    write_lines(tmp_path / "corpus" / "mono" / "sv.txt.xz", [*(f"hus {number}" for number in range(20)), b"\xff\n"])
    result = pretrain("updates = 52")
    assert result.exit_code == 0, result.output
    assert "warning: 1 corrupt lines are left out: " in result.output
    assert "language modelling  50/52  loss " in result.output and "language modelling  52/52" in result.output
    assert [line.split()[0] for line in result.output.splitlines()[-6:-2]] == ["held", "en", "fi", "mean"]
    assert " pieces seen, 0.0 MFLOP each" in result.output
    assert f"saved: {tmp_path / 'out'}" in result.output
    check_that_it_is_made_once(pretrain, tmp_path / "out", ["updates = 52"], ["updates = 53"])


@pytest.mark.parametrize(
    ("command", "options", "said"),
    [
        ("adapt", ["--also", "nowhere.txt"], "nowhere.txt: no such file"),
        ("shrink", ["--corpus", "nowhere"], "nowhere"),
        ("pretrain", ["transforms.sw = ['fake']"], "transforms"),
    ],
)
def test_bad_input_ends_with_one_line(request, command, options, said):
    result = request.getfixturevalue(command)(*options)
    assert result.exit_code == 2
    assert result.output.splitlines()[-1].startswith("error: ") and said in result.output
