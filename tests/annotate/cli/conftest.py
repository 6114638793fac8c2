import pytest
import storing
from storing import annotate, made_project
from typer.testing import CliRunner

from annotate.rounds.draw import draw_round
from fewshot.cli import app
from fewshot.corpora.load import load


@pytest.fixture
def url(url, monkeypatch):
    monkeypatch.setenv("FEWSHOT_DB_URL", url)
    return url


@pytest.fixture
def project(store):
    """Two Japanese sentences, annotated by ana as their treebank is."""
    corpus = load("ja", "sample")
    rows = storing.split_rows(corpus.pool[:2], corpus.test[:1])
    made = made_project(store, rows, name="Japanese pilot", tasks=("pos", "dep"), kind="sentences")
    store.set_project_people(made.id, ["ana"])
    draw_round(store, made, 2, "random", 0)
    for item in store.items(made.id):
        annotate(store, made, item)
    return made


@pytest.fixture
def run():
    """Run a command, with what is typed into it."""

    def call(*words, typed=""):
        return CliRunner().invoke(app, list(words), input=typed, env={"COLUMNS": "200"})

    return call


@pytest.fixture
def ok(run):
    """Run a command that succeeds; return its output."""

    def call(*words, typed=""):
        result = run(*words, typed=typed)
        assert result.exit_code == 0, result.output
        return result.output.strip()

    return call


@pytest.fixture
def refused(run):
    """Run a command that cannot be done; return the one line that says why."""

    def call(*words, typed=""):
        result = run(*words, typed=typed)
        assert result.exit_code == 2, result.output
        (line,) = result.output.strip().splitlines()
        return line

    return call
