"""What the commands of the app are given."""

import pytest
from storing import made_project
from typer.testing import CliRunner

from annotate.editing import content
from annotate.exchange import pool
from annotate.rounds.draw import draw_round
from annotate.store import Store
from fewshot.cli import app
from fewshot.corpora.load import load


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    """No test sees the database of this user, or leaves anything there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.delenv("FEWSHOT_DB_URL", raising=False)


@pytest.fixture
def url(tmp_path, monkeypatch):
    """The database of the commands."""
    place = f"sqlite:///{tmp_path / 'fewshot.db'}"
    monkeypatch.setenv("FEWSHOT_DB_URL", place)
    return place


@pytest.fixture
def store(url):
    made = Store.open(url)
    yield made
    made.close()


@pytest.fixture
def project(store):
    """Two Japanese sentences, annotated by ana as their treebank is."""
    corpus = load("ja", "sample")
    rows = pool.both(corpus.pool[:2], corpus.test[:1])
    made = made_project(store, rows, name="Japanese pilot", tasks=("pos", "dep"), kind="sentences")
    store.set_project_people(made.id, ["ana"])
    draw_round(store, made, 2, "random", 0)
    for item in store.items(made.id):
        example = content.from_json(next(store.examples(made.id, ids=[item.example_id])).content)
        annotation = content.annotation_of(item.task, example)
        store.save(item.id, "ana", "page", 1, annotation, done=True, seconds=10.0, edits=1)
    return made


@pytest.fixture
def run():
    """Run a command, with what is typed into it."""

    def call(*words, typed=""):
        return CliRunner().invoke(app, list(words), input=typed, env={"COLUMNS": "200"})

    return call
