"""A pool of a million sentences: how long it takes to make the project, to show its pages and to come to the next item.

    python tests/benchmarks/big_pool.py [--pool 1000000] [--db sqlite,postgresql] [--times 20]

The pages are timed from the request to the end of the run; the next item from asking to the editor's data. Prints a
Markdown table: seconds to make the project and to draw 100 examples, then medians in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.many_annotators import database, seconds_of
from load.annotators import prepare
from load.client import Window
from serving import App

from annotate.rounds.draw import draw_round
from annotate.store import Store

SHOTS = 100


def timed(work):
    """Return what a call returns, and its seconds."""
    started = time.perf_counter()
    return work(), time.perf_counter() - started


def draw(url, project):
    """Draw more from the pool, as a second round does."""
    store = Store.open(url)
    draw_round(store, store.project(project), SHOTS, "random", 1)
    store.close()


async def shown(address, project, token, page, times):
    """Return the median milliseconds of opening a page."""
    seconds = []
    for _ in range(times):
        window = Window(address, project, token, page=page)
        seconds.append(await seconds_of(window.open()))
        await window.close()
    return 1000 * statistics.median(seconds)


async def moved(address, project, token, times):
    """Return the median milliseconds of coming to the next item."""
    window = Window(address, project, token)
    await window.open()
    seconds = []
    for _ in range(times):
        annotation = {"upos": ["NOUN"] * len(window.data["example"]["words"])}
        await window.save(annotation, 1, done=True)
        seconds.append(await seconds_of(window.next(annotation, 1)))
    await window.close()
    return 1000 * statistics.median(seconds)


def measure(kind, pool, times):
    """Return one row of the table."""
    with tempfile.TemporaryDirectory() as folder, database(kind, folder) as url:
        (project, (token,)), made = timed(lambda: prepare(url, ["ana"], pool, shots=SHOTS, role="curator"))
        _, drawn = timed(lambda: draw(url, project))
        app = App(Path(folder), "--users", url=url)
        app.start()
        try:
            pages = [asyncio.run(shown(app.address, project, token, page, times)) for page in ("", "annotate")]
            following = asyncio.run(moved(app.address, project, token, times))
        finally:
            app.kill()
    return [kind, f"{pool:,}", f"{made:.0f}", f"{drawn:.1f}", *(f"{one:.0f}" for one in (*pages, following))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pool", type=int, default=1_000_000)
    parser.add_argument("--db", default="sqlite,postgresql")
    parser.add_argument("--times", type=int, default=20)
    given = parser.parse_args()
    print("| database | pool | made in s | draw s | projects page ms | annotate page | next item |")
    print("|---|---|---|---|---|---|---|")
    for kind in given.db.split(","):
        print("|", " | ".join(map(str, measure(kind, given.pool, given.times))), "|", flush=True)


if __name__ == "__main__":
    main()
