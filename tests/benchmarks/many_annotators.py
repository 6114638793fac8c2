"""Many annotators at once, each a websocket to the real app: how long a save takes, and what is lost or doubled.

    python tests/benchmarks/many_annotators.py --annotators 20,50 --seconds 60 --think 4 [--db sqlite,postgresql]
                                               [--pool 5000] [--kills 0]

Everybody tags sentences of the sample in three saves, the last one done, and goes on to the next. Waits between saves
are drawn from half to one and a half of the think time. Times are from sending until the acknowledgement is back in the
data of the editor, over all saves of all annotators, once all of them have opened their page; CPU is what the server
computed since then for one save or move: unlike the times it says little about what else the machine does; KB is what
it sent for a save, the median; MB what it held when all had opened their page, and at the end. With ``--kills`` the
app is killed (SIGKILL) at so many moments drawn from the time, and started again; annotators connect again and send
what was not acknowledged, and the times of their saves hold that too. Prints a Markdown table.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.side_by_side import arguments, print_head, print_row
from load.annotators import STEPS, lost_and_doubled, prepare
from load.client import Window
from serving import App, postgres, run_alone

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


async def seconds_of(work):
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def annotate(window, seconds, think, rng):
    """Tag sentence after sentence for some seconds; return the log."""
    log = Log()
    ends = time.perf_counter() + seconds
    while window.data and time.perf_counter() < ends:
        item, words = window.data["item"], len(window.data["example"]["words"])
        annotation = {}
        for step in range(1, STEPS + 1):
            await asyncio.sleep(rng.uniform(0.5, 1.5) * think)
            done = step == STEPS
            tagged = words if done else max(1, words * step // (STEPS + 1))
            annotation = {"upos": [rng.choice(["NOUN", "VERB"])] * tagged + ["_"] * (words - tagged)}
            before = window.received
            log.saves.append(await seconds_of(window.save(annotation, step, done)))
            log.sizes.append(window.received - before)
            log.saved[item, window.client, step] = annotation
        log.moves.append(await seconds_of(window.next(annotation, STEPS)))
    await window.close()
    return log


async def together(address, project, tokens, seconds, think, opened=lambda: None, meanwhile=None):
    """Let everybody open their page, one after the other, then call `opened`, and annotate at once.

    Args:
        meanwhile: a coroutine that goes on beside them, and ends before they do.
    """
    windows = [Window(address, project, token) for token in tokens]
    for window in windows:
        await window.open()
    opened()
    beside = asyncio.create_task(meanwhile) if meanwhile else None
    logs = await asyncio.gather(
        *(annotate(window, seconds, think, random.Random(n)) for n, window in enumerate(windows))
    )
    if beside:
        await beside
    return logs


async def killed(app, kills, seconds, rng):
    """Kill the app at so many moments of the time, and start it again at once."""
    started = time.perf_counter()
    for moment in sorted(rng.uniform(0, 0.95 * seconds) for _ in range(kills)):
        await asyncio.sleep(max(0.0, moment - (time.perf_counter() - started)))
        app.kill()
        await asyncio.to_thread(app.start)


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
        project, tokens = prepare(url, [f"a{n}" for n in range(annotators)], pool)
        app = App(Path(folder), "--users", url=url)
        app.start()
        try:
            spent, held = [], []

            def note():
                spent.append(cpu_seconds(app.process.pid))
                held.append(megabytes(app.process.pid))

            kill = killed(app, kills, seconds, random.Random(0)) if kills else None
            logs = asyncio.run(together(app.address, project, tokens, seconds, think, note, kill))
            note()
        finally:
            app.kill()
        saved = {key: annotation for log in logs for key, annotation in log.saved.items()}
        lost, doubled = lost_and_doubled(url, project, saved)
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
