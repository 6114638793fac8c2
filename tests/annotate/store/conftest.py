"""Every test of the store runs on SQLite and on PostgreSQL."""

import pytest
from storing import made_project

from annotate.store import Store


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.app)])
def kind(request):
    return request.param


@pytest.fixture
def url(kind, new_url):
    return new_url(kind)


@pytest.fixture
def store(url):
    store = Store.open(url)
    yield store
    store.close()


@pytest.fixture
def project(store):
    """Twenty examples of the pool and five of the test set, for ana and ben."""
    return made_project(store)


@pytest.fixture
def pool(store, project):
    """The ids of the pool's examples."""
    return [row[0] for row in store.lengths(project.id, "pool")]
