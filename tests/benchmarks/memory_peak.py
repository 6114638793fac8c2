"""Peak memory of one command, with oneDNN's own cache of compiled operations, and with the small one that we set.

    pip install -c constraints.txt '.[dev]'
    python tests/benchmarks/memory_peak.py [--turns 3] -- run --k 10 --lang ja --device cpu

Runs ``fewshot`` with the arguments behind ``--`` and an ``--out`` of its own, the two sides in turn, and prints the
largest resident set of each, medians and ranges, and their ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from fewshot.encoders.load import COMPILED

NAME, _ = COMPILED

SIDES: Mapping[str, Mapping[str, str]] = {"oneDNN's cache of 1,024": {NAME: "1024"}, "as it ships": {}}


def peak(arguments: Sequence[str], setting: Mapping[str, str]) -> float:
    """Return the gigabytes that a command held at most."""
    kept = {name: value for name, value in os.environ.items() if name != NAME}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as said:
        command = [str(Path(sys.executable).with_name("fewshot")), *arguments, "--out", f"{folder}/out"]
        process = subprocess.Popen(command, env=kept | setting, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            said.seek(0)
            raise SystemExit(said.read().decode())
    return used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("arguments", nargs="+")
    given = parser.parse_args()
    found: dict[str, list[float]] = {name: [] for name in SIDES}
    for _ in range(given.turns):
        for name, setting in SIDES.items():
            found[name].append(peak(given.arguments, setting))
    for name, values in found.items():
        print(f"{name}: {statistics.median(values):.2f} GB ({min(values):.2f} to {max(values):.2f})")
    ratios = [one / other for one, other in zip(*found.values(), strict=True)]
    print(f"ratio: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
