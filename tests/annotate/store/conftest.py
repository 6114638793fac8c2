"""Every test of the store runs on SQLite and on PostgreSQL; the latter is Debian's, started for these tests only."""

import os
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from storing import made_project

from annotate.store import Store

NAMES = count()


def newest_binaries():
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    found = sorted((folder for folder in folders if (folder / "initdb").exists()), key=lambda f: float(f.parent.name))
    if not found:
        pytest.skip("needs Debian's package postgresql")
    return found[-1]


@pytest.fixture(scope="session")
def postgres():
    """A server in a folder of its own, reached through a socket there; PostgreSQL does not start as root."""
    binaries = newest_binaries()
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path has at most 107 characters
    if user:
        shutil.chown(folder, "postgres")

    def call(name, *arguments):
        command = [*user, str(binaries / name), "-D", str(folder / "data"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=120)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            pytest.skip(f"PostgreSQL does not start here: {done.stderr or done.stdout}")

    call("initdb", "-A", "trust", "-U", "tester", "--encoding=UTF8", "--locale=C", "--no-sync")
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c port=54329 -c fsync=off"
    call("pg_ctl", "-w", "-l", str(folder / "log"), "-o", settings, "start")
    yield f"postgresql+psycopg://tester@/{{name}}?host={folder}&port=54329"
    call("pg_ctl", "-w", "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def new_url(request, tmp_path):
    """Makes URLs of new, empty databases: ``new_url("sqlite")``, ``new_url("postgresql")``."""
    made = []

    def make(kind):
        name = f"store{next(NAMES)}"
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / name}.db"
        server = request.getfixturevalue("postgres")
        run_alone(server, f"CREATE DATABASE {name}")
        made.append((server, name))
        return server.format(name=name)

    yield make
    for server, name in made:
        run_alone(server, f"DROP DATABASE {name} WITH (FORCE)")


def run_alone(server, statement):
    engine = create_engine(server.format(name="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.exec_driver_sql(statement)
    engine.dispose()


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
