"""A store and a project of Spanish sentences for the tests of the app's own modules."""

from datetime import timedelta
from functools import cache
from shutil import copy

import pytest
import storing
from desk import Desk, new_project
from sqlalchemy import event
from sqlalchemy.dialects.sqlite import pysqlite
from sqlalchemy.util import LRUCache
from storing import made_project
from streamlit.components.v2 import manifest_scanner

from annotate import accounts
from annotate.store import Store, database
from fewshot.corpora.types import Sentence
from fewshot.tasks.dep import RELATIONS
from fewshot.tasks.pos import UPOS

SENTENCES = [
    Sentence("s1", "voy al mar", ("voy", "al", "mar"), upos=("VERB", "ADP", "NOUN"), heads=(0, 3, 1)),
    Sentence("s2", "el mar canta", ("el", "mar", "canta")),
    Sentence("s3", "canta mucho hoy", ("canta", "mucho", "hoy")),
    Sentence("s4", "hoy voy yo", ("hoy", "voy", "yo")),
]


@pytest.fixture(autouse=True)
def own_settings(monkeypatch):
    """No test sees the database of this user, and passwords are hashed quickly."""
    monkeypatch.delenv("FEWSHOT_DB_URL", raising=False)
    monkeypatch.setattr(accounts, "COST", 2**4)


@pytest.fixture(scope="session", autouse=True)
def statements():
    """The statements of all databases of SQLite, compiled once: a fifth of the time of tests that use a store."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pysqlite.dialect, "__eq__", lambda one, other: type(one) is type(other))
        patch.setattr(pysqlite.dialect, "__hash__", lambda one: hash(type(one)))
        patch.setitem(database.ENGINE_OPTIONS, "execution_options", {"compiled_cache": LRUCache(2000)})
        yield


@pytest.fixture(scope="session", autouse=True)
def installed_components():
    """What Streamlit finds in the installed packages: a second of work for each page that a test opens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """The file of a database with nothing in its tables, which takes longer to make than to copy."""
    path = tmp_path_factory.mktemp("store") / "empty.db"
    Store.open(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def url(tables, tmp_path):
    return f"sqlite:///{copy(tables, tmp_path / 'fewshot.db')}"


@pytest.fixture
def store(url):
    made = Store(url)
    if made.is_sqlite:  # nobody waits for the disk
        event.listen(made.engine, "connect", lambda connection, _: connection.execute("PRAGMA synchronous=OFF"))
    yield made
    made.close()


@pytest.fixture
def later(store, monkeypatch):
    """Sets the time of the store to some seconds after now."""
    now = store.now()
    return lambda seconds: monkeypatch.setattr(store, "now", lambda: now + timedelta(seconds=seconds))


@pytest.fixture
def project(store):
    """Three sentences of the pool and one of the test set, for ana and ben."""
    rows = storing.split_rows(SENTENCES[:3], SENTENCES[3:])
    return made_project(store, rows, labels={"pos": list(UPOS), "dep": list(RELATIONS)})


@pytest.fixture
def ids(store, project):
    return [row[0] for row in store.lengths(project.id, "pool")]


@pytest.fixture
def desk(store, project, tmp_path):
    """The project with its annotators: messages, exports, imports and searches."""
    return Desk(store, project, tmp_path)


@pytest.fixture
def new_desk(store, tmp_path):
    """Makes a project of examples and tasks; returns it as a desk."""
    return lambda *given, **settings: Desk(store, new_project(store, *given, **settings), tmp_path)
