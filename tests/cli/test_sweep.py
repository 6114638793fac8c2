"""``fewshot sweep``: many runs as one, which a wrong one does not stop."""

import pytest
from cli.calls import call

from fewshot.training import sources

FILE = """
k = 4
updates = 2
seeds = 1
shot-sets = 1
model = "{place}/encoder"
source = "{place}/source"
data = "{place}/xx"

[[runs]]
lang = "xx"
method = ["full", "freeze-none"]
"""


@pytest.fixture
def asked(place, tmp_path):
    """Return what a command says of a file of runs, with its output folder."""

    def asked(text="", *more):
        file = tmp_path / "two.toml"
        file.write_text(FILE.format(place=place) + text, encoding="utf-8")
        return call("sweep", file, "--out", tmp_path / "out", *more)

    return asked


def test_a_sweep_does_each_run_once_and_ends_with_a_table_and_a_report(asked, tmp_path):
    first = asked()
    assert first.exit_code == 0, first.output
    runs = sorted((tmp_path / "out").glob("xx-*"))
    assert len(runs) == 2
    assert all((folder / "results.jsonl").is_file() for folder in runs)
    assert {"report.html", "points.csv"} <= {path.name for path in (tmp_path / "out" / "pos").iterdir()}
    lines = (tmp_path / "out" / "pos" / "points.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 2 * 2  # zero-shot and k = 4 of each
    before = [(folder / "results.jsonl").read_bytes() for folder in runs]
    assert asked().exit_code == 0
    assert [(folder / "results.jsonl").read_bytes() for folder in runs] == before


def test_a_run_may_take_the_source_model_of_the_language_ranked_first(asked, tmp_path, source_model):
    for lang in ("ja", "sv"):
        model = source_model.copy()
        model.provenance = {"lang": lang}
        model.save(sources.kept_in() / lang)
    result = asked('[[runs]]\nlang = "da"\nsource = "auto"\n')
    assert result.exit_code == 0, result.output
    assert f"source model {sources.kept_in() / 'sv'}: sv is first for da" in result.output
    (place,) = (tmp_path / "out").glob("da-pos-*-auto-*")
    assert (place / "results.jsonl").is_file()


def test_a_run_that_cannot_be_done_is_named_and_the_others_are_done(asked, tmp_path):
    result = asked('[[runs]]\nlang = "yy"\ndata = "nowhere"\n')
    assert result.exit_code == 2
    assert "1 of 3 runs could not be done: yy-" in result.output
    assert (tmp_path / "out" / "pos" / "points.csv").is_file()


def test_a_wrong_option_of_the_last_run_is_said_before_the_first_begins(asked, tmp_path):
    result = asked('[[runs]]\nlang = "xx"\nmethod = "nonsense"\n')
    assert result.exit_code == 2
    assert "two.toml: xx-" in result.output and "nonsense" in result.output
    assert not (tmp_path / "out").exists()


def test_a_dry_run_says_how_long_it_takes_and_what_it_costs(asked, tmp_path):
    result = asked("", "--dry-run")
    assert result.exit_code == 0, result.output
    assert result.output.count("timing a training of") == 2
    assert "0 of 2 trainings to do" in result.output  # each kind has one, which was timed
    assert not (tmp_path / "out" / "pos").exists()


def test_a_dry_run_says_what_cannot_be_done_and_goes_on(asked):
    result = asked('[[runs]]\nlang = "yy"\ndata = "nowhere"\n[[runs]]\nlang = "zz"\n', "--dry-run")
    assert result.exit_code == 2
    assert "1 of 3 trainings to do" in result.output
    assert "1 of 4 runs could not be done: yy-" in result.output
