"""Many annotators of the real app at once: how long saves and next pages take, and what is lost or doubled.

    python tests/benchmarks/many_annotators.py --annotators 20,50 --seconds 60 --think 4 [--db sqlite,postgresql]
                                               [--pool 5000] [--kills 0]

Everybody tags sentences of the sample in three saves, the last one done, and goes on to the next, for which the whole
page is drawn in a window of its own. Waits between saves are drawn from half to one and a half of the think time. Times
of saves are from sending until the acknowledgement is there, those of the next page until it is drawn, over all
annotators, once all of them have opened their page; CPU is what the server computed since then for one save or page:
unlike the times it says little about what else the machine does; KB is what it sent for a page, the median; MB what it
held when all had opened their page, and at the end. With ``--kills`` the app is killed (SIGKILL) at so many moments
drawn from the time, and started again; annotators send what was not acknowledged again, and the times of their saves
hold that too. Prints a Markdown table.
"""

import os
import random
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.side_by_side import arguments, print_head, print_row
from benchmarks.side_by_side import seconds as seconds_of
from load.annotators import STEPS, lost_and_doubled, prepare
from load.client import Window, together
from load.page import drawn
from serving import App, postgres, run_alone
from waiting import wait_until
from websockets.exceptions import WebSocketException

from annotate.store import Store

COLUMNS = (
    "database", "annotators", "saves", "saves/s", "p50 ms", "p95", "p99", "next p50", "next p95", "CPU ms", "KB",
    "MB", "MB at the end", "kills", "lost", "doubled",
)  # fmt: skip


@dataclass
class Log:
    """What one annotator has seen acknowledged: (item, client, seq) -> annotation; seconds, and bytes sent."""

    saved: dict[tuple[int, str, int], dict] = field(default_factory=dict)
    saves: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


def annotate(window, seconds, think, rng):
    """Tag sentence after sentence for some seconds; return the log."""
    log = Log()
    ends = time.perf_counter() + seconds
    while window.opened and time.perf_counter() < ends:
        for step in range(1, STEPS + 1):
            time.sleep(rng.uniform(0.5, 1.5) * think)
            done = step == STEPS
            tagged = window.words if done else max(1, window.words * step // (STEPS + 1))
            tags = [rng.choice(["NOUN", "VERB"]) for _ in range(tagged)] + ["_"] * (window.words - tagged)
            log.saves.append(seconds_of(lambda tags=tags: window.save({"upos": tags}, step, done=done)))  # noqa: B023
            log.saved[window.item.id, window.client, step] = {"upos": tags}
        window.next()
        log.moves.append(seconds_of(lambda: log.sizes.append(page(window).received)))
    return log


def page(window):
    """Return the page of a window's item, again where the server goes away meanwhile."""
    query = f"project={window.project.id}" + (f"&item={window.item.id}" if window.opened else "")

    def attempt():
        with suppress(OSError, WebSocketException):
            return drawn(window.app, window.token, name="annotate", query=query)

    return wait_until(attempt)


def work(windows, seconds, think):
    """Let everybody annotate at once; return the logs."""
    rngs = [random.Random(number) for number in range(len(windows))]
    return together(lambda pair: annotate(pair[0], seconds, think, pair[1]), list(zip(windows, rngs, strict=True)))


def kill(app, kills, seconds, rng):
    """Kill the app at so many moments of the time, and start it again at once."""
    started = time.perf_counter()
    for moment in sorted(rng.uniform(0, 0.95 * seconds) for _ in range(kills)):
        time.sleep(max(0.0, moment - (time.perf_counter() - started)))
        app.kill()
        app.start()


@contextmanager
def database(kind, folder):
    """Yield the URL of a new database: of this kind, or the one that was given."""
    if kind == "sqlite":
        yield f"sqlite:///{folder}/fewshot.db"
    elif kind == "postgresql":
        with postgres(sync=True) as server:
            run_alone(server, "CREATE DATABASE load")
            yield server.format(name="load")
    else:
        yield kind


def measure(kind, annotators, seconds, think, pool, kills=0):
    with tempfile.TemporaryDirectory() as folder, database(kind, folder) as url:
        names = [f"a{n}" for n in range(annotators)]
        project, tokens = prepare(url, names, pool)
        app, store = App(Path(folder), "--users", url=url), Store.open(url)
        app.start()
        try:
            windows = [Window(app, store, project, *person) for person in zip(names, tokens, strict=True)]
            for window in windows:
                page(window)
            spent, held = [cpu_seconds(app.process.pid)], [megabytes(app.process.pid)]
            killer = Thread(target=kill, args=(app, kills, seconds, random.Random(0)))
            killer.start()
            logs = work(windows, seconds, think)
            killer.join()
            spent.append(cpu_seconds(app.process.pid))
            held.append(megabytes(app.process.pid))
        finally:
            app.kill()
            store.close()
        saved = {key: annotation for log in logs for key, annotation in log.saved.items()}
        lost, doubled = lost_and_doubled(url, project.id, saved)
        if app.has_failed():
            print(app.log()[-3000:], file=sys.stderr)
    saves = [one for log in logs for one in log.saves]
    moves = [one for log in logs for one in log.moves]
    return [
        kind.partition(":")[0], annotators, len(saves), f"{len(saves) / seconds:.1f}", *milliseconds(saves),
        *milliseconds(moves)[:2],
        "" if kills else f"{1000 * (spent[1] - spent[0]) / (len(saves) + len(moves)):.0f}",  # of the last one alone
        f"{statistics.median(one for log in logs for one in log.sizes) / 1024:.0f}",
        *(f"{one:.0f}" for one in held), kills, lost, doubled,
    ]  # fmt: skip


def cpu_seconds(pid):
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def megabytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024


def milliseconds(times):
    """Return the median, the 95th and the 99th percentile."""
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return [f"{1000 * cuts[place]:.0f}" for place in (49, 94, 98)]


def main():
    options = {"annotators": "20,50", "seconds": 60.0, "think": 4.0, "db": "sqlite,postgresql", "pool": 5000}
    given = arguments(__doc__, **options, kills=0).parse_args()
    print_head(*COLUMNS)
    for kind in given.db.split(","):
        for annotators in map(int, given.annotators.split(",")):
            print_row(*measure(kind, annotators, given.seconds, given.think, given.pool, given.kills))


if __name__ == "__main__":
    main()
