"""Tests of the store run on SQLite; those marked `on_both` run on PostgreSQL too."""

from shutil import copy

import pytest
import serving
from storing import made_project, pool_ids

from annotate.store import Store


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
    """The URL of a database with nothing in its tables."""
    if kind == "sqlite":
        return f"sqlite:///{copy(tables, tmp_path / 'tables.db')}"
    return new_url(kind, request.getfixturevalue("template"))


@pytest.fixture
def empty_url(kind, new_url):
    """The URL of a database without tables."""
    return new_url(kind)


@pytest.fixture
def store(url):
    store = Store(url)
    yield store
    store.close()


@pytest.fixture
def project(store):
    """Twenty examples of the pool and five of the test set, for ana and ben."""
    return made_project(store)


@pytest.fixture
def pool(store, project):
    """The ids of the pool's examples."""
    return pool_ids(store, project)
