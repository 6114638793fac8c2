"""Every test of the store runs on SQLite and on PostgreSQL; the latter is Debian's, started for these tests only."""

from itertools import count

import pytest
import serving
from storing import made_project

from annotate.store import Store

NAMES = count()


@pytest.fixture(scope="session")
def postgres():
    """A server for these tests only."""
    try:
        with serving.postgres() as server:
            yield server
    except serving.NoPostgres as missing:
        pytest.skip(str(missing))


@pytest.fixture
def new_url(request, tmp_path):
    """Makes URLs of new, empty databases: ``new_url("sqlite")``, ``new_url("postgresql")``."""
    made = []

    def make(kind):
        name = f"store{next(NAMES)}"
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / name}.db"
        server = request.getfixturevalue("postgres")
        serving.run_alone(server, f"CREATE DATABASE {name}")
        made.append((server, name))
        return server.format(name=name)

    yield make
    for server, name in made:
        serving.run_alone(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgresql"])
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
