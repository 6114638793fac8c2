from types import SimpleNamespace

import pytest

from annotate.components import frame
from annotate.store import User


@pytest.fixture
def started(monkeypatch):
    jobs = []

    def start(store, project, kind, args):
        jobs.append((kind, args))
        return SimpleNamespace()

    monkeypatch.setattr("annotate.worker.queue.start", start)
    monkeypatch.setattr("annotate.worker.queue.start_worker", lambda store: None)
    return jobs


@pytest.fixture
def alone(store, started, monkeypatch):
    """Nobody signs in; returns who annotates."""
    monkeypatch.delenv(frame.USERS, raising=False)
    monkeypatch.setattr(frame, "store", lambda: store)
    return frame.user().name


@pytest.fixture
def sign_in(store, monkeypatch):
    """Makes somebody the person at the page; ana is there at first."""
    monkeypatch.setattr(frame, "store", lambda: store)

    def sign_in(name, role):
        monkeypatch.setattr(frame, "user", lambda: User(1, name, role, True))

    sign_in("ana", "admin")
    return sign_in
