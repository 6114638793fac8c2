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


def test_a_sweep_does_each_run_once_names_those_that_fail_and_ends_with_a_report(asked, tmp_path, source_model):
    first = asked()
    assert first.exit_code == 0, first.output
    runs = sorted((tmp_path / "out").glob("xx-*"))
    assert len(runs) == 2
    assert all((folder / "results.jsonl").is_file() for folder in runs)
    assert {"report.html", "points.csv"} <= {path.name for path in (tmp_path / "out" / "pos").iterdir()}
    lines = (tmp_path / "out" / "pos" / "points.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + 2 * 2  # zero-shot and k = 4 of each
    before = [(folder / "results.jsonl").read_bytes() for folder in runs]
    for lang in ("ja", "sv"):
        model = source_model.copy()
        model.provenance = {"lang": lang}
        model.save(sources.user_dir() / lang)
    again = asked('[[runs]]\nlang = "yy"\ndata = "nowhere"\n[[runs]]\nlang = "da"\nsource = "auto"\n')
    assert again.exit_code == 2
    assert "1 of 4 runs failed: yy-" in again.output
    assert [(folder / "results.jsonl").read_bytes() for folder in runs] == before
    assert f"source model {sources.user_dir() / 'sv'}: sv is first for da" in again.output
    (auto,) = (tmp_path / "out").glob("da-pos-*-auto-*")
    assert (auto / "results.jsonl").is_file()


def test_a_wrong_option_of_the_last_run_is_said_before_the_first_begins(asked, tmp_path):
    result = asked('[[runs]]\nlang = "xx"\nmethod = "nonsense"\n')
    assert result.exit_code == 2
    assert "two.toml: xx-" in result.output and "nonsense" in result.output
    assert not (tmp_path / "out").exists()


def test_a_dry_run_times_each_kind_and_says_what_cannot_be_done(asked, tmp_path):
    result = asked('[[runs]]\nlang = "yy"\ndata = "nowhere"\n[[runs]]\nlang = "zz"\n', "--dry-run")
    assert result.exit_code == 2
    assert result.output.count("timing a training of") == 2
    assert "1 of 3 trainings to do" in result.output  # each kind has one that was timed
    assert "1 of 4 runs failed: yy-" in result.output
    assert not (tmp_path / "out" / "pos").exists()
