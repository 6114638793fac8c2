"""Time and memory of some runs in one process with all threads, and in several with one thread each, in turns.

    pip install -c constraints.txt '.[dev]'
    python tests/benchmarks/jobs_ratio.py [--jobs 1 --jobs 2] [--turns 5] -- --k 10 --lang ja --shot-sets 6 --seeds 2

Runs ``fewshot run`` with the arguments behind ``--`` and an ``--out`` of its own. The one process has as many threads
as torch takes, and does one run after the other. Prints for each turn seconds and the largest sum of the proportional
set sizes (PSS, Linux) of all processes, and the medians of the ratios to the one process.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread

ALONE = "one process"
PROGRAM = """
import sys
from fewshot.cli import main
if sys.argv.pop(1) == "alone":
    import fewshot.experiments.executors.place as place
    place.fitting = lambda work, sharing: None
sys.argv[0] = "fewshot"
main()
"""


def held(pid: int) -> int:
    """Return the kilobytes of a process and of its children: what several share is counted once."""
    total = 0
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        total += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended
        return total
    return total + sum(held(int(child)) for child in children)


def measure(words: Sequence[str]) -> tuple[float, float]:
    """Return the seconds of a command and the gigabytes that it held at most."""
    most, over = 0, Event()

    def watch(pid: int) -> None:
        nonlocal most
        while not over.wait(0.25):
            most = max(most, held(pid))

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        given = [sys.executable, "-c", PROGRAM, *words, "--out", folder]
        with subprocess.Popen(given, stdout=subprocess.DEVNULL) as process:
            watching = Thread(target=watch, args=(process.pid,))
            watching.start()
            code = process.wait()
            over.set()
            watching.join()
        if code:
            raise SystemExit(f"{' '.join(words)} ended with {code}")
        return time.perf_counter() - start, most / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", action="append", type=int)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("run", nargs="+")
    arguments = parser.parse_args()
    plain = ["run", *arguments.run]
    sides = {ALONE: ["alone", *plain]}
    sides |= {f"--jobs {n}": ["several", *plain, "--jobs", str(n)] for n in arguments.jobs or [1, 2]}
    turns = []
    for _ in range(arguments.turns):
        turns.append({name: measure(words) for name, words in sides.items()})
        print("; ".join(f"{name} {taken:.0f} s, {memory:.2f} GB" for name, (taken, memory) in turns[-1].items()))
    for name in list(sides)[1:]:
        times = statistics.median(turn[ALONE][0] / turn[name][0] for turn in turns)
        memory = statistics.median(turn[name][1] / turn[ALONE][1] for turn in turns)
        print(f"{name} is {times:.2f} times as fast as {ALONE} and takes {memory:.2f} times its memory")


if __name__ == "__main__":
    main()
