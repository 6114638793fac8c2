"""Tests of the store run on SQLite; those marked `on_both` run on PostgreSQL too."""

from shutil import copy

import pytest
import serving
import storing
from making import result
from storing import made_items, made_project, pool_ids

from annotate.store import HELD_OUT, LabelledFile, Predictions, Store
from fewshot.corpora.lexicon import LexiconEntry


@pytest.fixture(scope="session")
def template(postgres):
    """The name of a PostgreSQL database with nothing in its tables, which takes longer to make than to copy."""
    serving.run_alone(postgres, "CREATE DATABASE tables")
    Store.open(postgres.format(name="tables")).close()
    return "tables"


@pytest.fixture
def kind():
    return "sqlite"


@pytest.fixture
def url(request, kind, new_url, tables, tmp_path):
    if kind == "sqlite":
        return f"sqlite:///{copy(tables, tmp_path / 'tables.db')}"
    return new_url(kind, request.getfixturevalue("template"))


@pytest.fixture
def empty_url(kind, new_url):
    return new_url(kind)


@pytest.fixture
def project(store):
    """Twenty examples of the pool and five of the test set, for ana and ben."""
    return made_project(store)


@pytest.fixture
def pool(store, project):
    return pool_ids(store, project)


@pytest.fixture(scope="session")
def fill():
    """Makes a project with rows in every table but that of users, by default more than are written at once."""

    def fill(store, size=2500, **changes):
        texts = ({"type": "Document", "id": f"{n}", "text": "猫\n\u2028é"} for n in range(size))
        made = made_project(store, (("pool", text["id"], 3, text) for text in texts), suggester="both", **changes)
        pool = pool_ids(store, made)
        one, two, longer = made_items(store, made, [(pool[0], "pos", "ana"), (pool[1], "pos"), (pool[2], "pos", "eva")])
        store.add_suggestions([(key, "pos", "mini", {"confidence": [0.1 + 0.2, 1e-17]}) for key in (pool[0], pool[-1])])
        store.add_suggestions([(pool[0], "pos", "asked", {})], "llm")
        store.add_suggestions([(pool[1], "pos", "mini", {})], HELD_OUT)
        first, second = (store.suggestion(pool[0], "pos", source).id for source in ("encoder", "llm"))
        store.save(one.id, "ana", "page", 1, {"upos": ["_"]}, True, 1.25, 3, first, second)
        store.save(longer.id, "eva", "page", 1, {"joined": 1}, True, 1.0, 1, joined=1)
        store.claim(two.id, "ben")
        store.add_comment(pool[0], "pos", "ana", "\u2028 is a line end")
        store.accept(made.id, "pos", "a key", "ana")
        store.set_lexicon(made.id, "file", [LexiconEntry("猫")])
        store.add_results(made.id, "pos", [result(0, 50.5)])
        store.add_predictions(made.id, "pos", Predictions("mini", "", "model", 10, "", {"0": {"upos": ["_"]}}, {}))
        store.set_labelled_file(made.id, "pos", LabelledFile("file", 3))
        storing.add_job(store, made.id, "train", {"k": 10})
        store.claim_job("here", 1)
        return made

    return fill
