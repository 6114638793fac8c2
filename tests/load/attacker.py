"""A client without an account: it asks the app to forget its caches and guesses passwords, in window after window."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from load.client import together
from load.page import Page, window
from sqlalchemy import create_engine, text
from streamlit.proto.BackMsg_pb2 import BackMsg

AT_ONCE = 4
"""Windows that are open at the same time."""

REFUSED, THROTTLED = "The name or the password is wrong", "Too many wrong passwords"


@dataclass
class Report:
    """What an attack has seen: the error of each guess, and before each round and at last what the app `held`."""

    guesses: list[str] = field(default_factory=list)
    held: list[tuple[int, int]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def tried(self):
        """Return how many guesses were compared with a password."""
        return sum(error.startswith(REFUSED) for error in self.guesses)


def guess(app, name, password):
    """Ask to clear all caches and guess a password, in a window of its own; return the error that the page shows."""
    with window(app) as socket:
        page = Page(socket)
        page.run()
        socket.send(BackMsg(clear_cache=True).SerializeToString())
        page.run(**{"Name": name, "Password": password, "Sign in": True})
        return " ".join(page.errors)


def attack(app, name, rounds):
    """Guess somebody's password in some rounds of windows; return the `Report`."""
    report, begun = Report(), time.monotonic()
    for _ in range(rounds):
        report.held.append(held(app))
        words = [f"wrong horse {len(report.guesses) + number}" for number in range(AT_ONCE)]
        report.guesses += together(lambda word: guess(app, name, word), words)
    report.held.append(held(app))
    report.seconds = time.monotonic() - begun
    return report


def held(app):
    """Return the open descriptors of the app, and its connections to PostgreSQL."""
    return len(list(Path(f"/proc/{app.process.pid}/fd").iterdir())), _connections(app.url)


def _connections(url):
    if url.startswith("sqlite"):
        return 0
    engine = create_engine(url)
    with engine.connect() as db:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        found = db.execute(text(query)).scalar_one()
    engine.dispose()
    return found
