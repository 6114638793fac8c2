"""A client without an account attacks the app for some time: what it guesses, and what the app holds.

    python tests/benchmarks/attack.py [--seconds 600] [--db sqlite,postgresql]

Four windows at a time ask Streamlit to clear its caches and guess a password each. Prints a Markdown table: guesses
that were sent and that were compared with the password, and descriptors, connections to PostgreSQL and MB that the app
holds after the first fifty rounds, at most, and at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from load import attacker
from serving import App, postgres, run_alone

from annotate import accounts
from annotate.store import Store

ROUNDS = 50
"""Rounds of windows after which the app holds no more: Streamlit keeps the 128 windows that were closed last."""


@contextmanager
def database(kind, folder):
    """Yield the URL of a new database."""
    if kind == "sqlite":
        yield f"sqlite:///{folder}/fewshot.db"
        return
    with postgres() as server:
        run_alone(server, "CREATE DATABASE attacked")
        yield server.format(name="attacked")


def attacked(kind, seconds):
    """Attack an app on a database of a kind; return a row of the table."""
    with tempfile.TemporaryDirectory() as folder, database(kind, folder) as url:
        app = App(Path(folder), "--users", url=url)
        with closing(Store.open(app.url)) as store:
            store.add_user("ada", accounts.hash_password("correct horse"), "admin")
        app.start()
        try:
            report = asyncio.run(attacker.attack(app, "ada", seconds=seconds))
            failed = "yes" if app.has_failed() else "no"
        finally:
            app.kill()
    held = [
        f"{values[min(ROUNDS, len(values) - 1)]}, {max(values)}, {values[-1]}"
        for values in zip(*report.held, strict=True)
    ]
    return [kind, f"{report.seconds:.0f}", len(report.guesses), report.tried, *held, failed]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--db", default="sqlite,postgresql")
    given = parser.parse_args()
    columns = ("database", "seconds", "guesses", "compared", "descriptors", "connections", "MB", "traceback")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for kind in given.db.split(","):
        print(f"| {' | '.join(map(str, attacked(kind, given.seconds)))} |", flush=True)


if __name__ == "__main__":
    main()
