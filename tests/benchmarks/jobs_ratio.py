"""Time and memory of some runs in one process with all threads, and in several with one thread each, in turns.

    PYTHONPATH=tests python -m benchmarks.jobs_ratio [--jobs 1 --jobs 2] \\
        [--turns 5] -- --k 10 --lang ja --shot-sets 6 --seeds 2

Runs ``fewshot run`` with the arguments behind ``--`` and an ``--out`` of its own. The one process has as many threads
as torch takes, and does one run after the other. Prints for each turn seconds and the largest sum of the proportional
set sizes (PSS, Linux) of all processes, and the medians of the ratios to the one process.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event, Thread

from benchmarks.side_by_side import arguments, in_turns

ALONE = "one process"
PROGRAM = """
import sys
from fewshot.cli import main
if sys.argv.pop(1) == "alone":
    import fewshot.experiments.executors.place as place
    place.count_processes = lambda work, sharing: None
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
    parser = arguments(__doc__, turns=5)
    parser.add_argument("--jobs", action="append", type=int)
    parser.add_argument("run", nargs="+")
    given = parser.parse_args()
    plain = ["run", *given.run]
    commands = {ALONE: ["alone", *plain]}
    commands |= {f"--jobs {n}": ["several", *plain, "--jobs", str(n)] for n in given.jobs or [1, 2]}
    sides = {name: partial(measure, words) for name, words in commands.items()}
    turns = in_turns(sides, given.turns, warm_up=False, show=lambda both: "{:.0f} s, {:.2f} GB".format(*both))
    vs = given.vs or ALONE
    for name in sides.keys() - {vs}:
        times = statistics.median(turn[vs][0] / turn[name][0] for turn in turns)
        memory = statistics.median(turn[name][1] / turn[vs][1] for turn in turns)
        print(f"{name} is {times:.2f} times as fast as {vs} and takes {memory:.2f} times its memory")


if __name__ == "__main__":
    main()
