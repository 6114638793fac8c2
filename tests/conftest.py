"""What many tests share."""

import os
import signal
import sys
from functools import cache
from itertools import count
from pathlib import Path

import pytest
import serving
import torch
from hypothesis import HealthCheck, settings
from making import made_up, save_xlmr
from trained import TrainedModels, shared_root
from typer.main import get_command

DATABASES = count()

NO_CLOCK = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("suite", derandomize=True, max_examples=30, **NO_CLOCK)  # every run draws the same examples
settings.register_profile("search", max_examples=2000, **NO_CLOCK)  # pytest --hypothesis-profile=search: look for bugs
settings.load_profile("suite")

TIERS = ("unit", "app", "system")
"""Every test has exactly one of these markers; a test without one is a unit test."""

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_configure():
    """Let Ctrl-C be heard by the tests, and by what they begin, also where a shell in the background has it ignored.

    Where Python is told to write no compiled modules, processes of tests write them into a folder of their own: not
    into ``.cache``, which a build of the documentation empties.

    Every test has one thread: tiny models are trained faster so, and sums are rounded alike on every machine.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # each of many processes would compile all libraries anew
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(Path(__file__).parents[1] / ".pytest_cache" / "modules"))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Give every test its tier, and those of the whole system more time than others on a busy machine."""
    for item in items:
        if item.get_closest_marker("system"):
            item.add_marker(pytest.mark.timeout(900))
            item.own_markers = [mark for mark in item.own_markers if mark.name != "app"]  # of its database
        if not any(item.get_closest_marker(tier) for tier in TIERS):
            item.add_marker(pytest.mark.unit)


@pytest.fixture(autouse=True)
def no_second_process(request, monkeypatch):
    """Unit tests start no process: a test that needs one belongs to another tier."""
    if request.node.get_closest_marker("unit"):

        def refuse(*_arguments, **_options):
            pytest.fail("a unit test started a process; mark the test with pytest.mark.app or pytest.mark.system")

        monkeypatch.setattr("subprocess.Popen.__init__", refuse)
        monkeypatch.setattr("multiprocessing.process.BaseProcess.start", refuse)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """No test sees what this user keeps, or leaves anything there, or waits for a hub."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    """No test takes more processes than it asks for."""
    monkeypatch.setattr("fewshot.experiments.executors.place.available_memory", lambda: 0.0)


@pytest.fixture(autouse=True)
def own_main(monkeypatch):
    """A script that Streamlit runs in a test is not what new processes of later tests begin with."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture(scope="session", autouse=True)
def command_line():
    """All commands with their options, which take most of the time of a call to one of them, are read once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield


@pytest.fixture(scope="session")
def shared():
    """The corpora that may lie beside the project."""
    if not (SHARED / "ud").is_dir():
        pytest.skip("needs the corpora that lie beside the project")
    return SHARED


@pytest.fixture(scope="session")
def sentences():
    return made_up(60, seed=1)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """Tiny models of every task and method, each trained when a test first needs the model."""
    return TrainedModels(shared_root(tmp_path_factory))


@pytest.fixture(scope="session")
def encoder_folder(trained):
    """A random BERT of 2 layers x 32 over single characters, saved by transformers."""
    return trained.folder("encoder", None)


@pytest.fixture(scope="session")
def encoder(trained):
    return trained.encoder


@pytest.fixture(scope="session")
def source_model(trained):
    """A POS model trained in 15 updates on half of the lexicon's sentences."""
    return trained.source("pos")


@pytest.fixture
def tiny_mini(trained, monkeypatch):
    """The embedded encoder `mini` and its source models are tiny ones."""
    embedded = trained.embedded()
    monkeypatch.setattr("fewshot.encoders.load.data_dir", lambda: embedded)
    monkeypatch.setattr("fewshot.training.sources.data_dir", lambda: embedded)


@pytest.fixture(scope="session")
def xlmr_folder(tmp_path_factory):
    return save_xlmr(tmp_path_factory.mktemp("xlmr"))


@pytest.fixture
def no_lang2vec(monkeypatch):
    """The package lang2vec is not installed."""
    from fewshot.transfer import languages

    def missing(name):
        raise languages.PackageNotFoundError(name)

    languages._store.cache_clear()
    languages._read.cache_clear()
    monkeypatch.setattr(languages, "distribution", missing)


@pytest.fixture(scope="session")
def postgres():
    """Debian's PostgreSQL, started for these tests only."""
    try:
        with serving.postgres() as server:
            yield server
    except serving.NoPostgres as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The app with accounts, in a process of its own; tests make projects and people of their own in it."""
    with serving.with_accounts(tmp_path_factory.mktemp("served")) as app:
        yield app


@pytest.fixture
def new_url(request, tmp_path):
    """Make URLs of new databases: ``new_url("sqlite")``, ``new_url("postgresql")``.

    A PostgreSQL database is a copy of `template`; both are empty by default.
    """
    made = []

    def make(kind, template="template1"):
        name = f"store{next(DATABASES)}"
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / name}.db"
        server = request.getfixturevalue("postgres")
        serving.run_alone(server, f"CREATE DATABASE {name} TEMPLATE {template}")
        made.append((server, name))
        return server.format(name=name)

    yield make
    for server, name in made:
        serving.run_alone(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
