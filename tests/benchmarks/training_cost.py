"""What one training costs: processor seconds, the share of them in matrix products, and memory, by task and k.

    pip install -c constraints.txt '.[dev]'
    PYTHONPATH=tests python -m benchmarks.training_cost --data pos=ud/he_htb --data ner=wikiann_he [--k 10 --k 100]
        [--model mini] [--before CHECKOUT] [--turns 3]

Each training is a process of its own with the preset of its task, on random sentences of the pool; with ``--before``
another checkout of this repository takes turns with this one. Prints a Markdown table: the median of the turns, and in
brackets the least and the greatest. Processor seconds are those of all threads; memory is the process's largest.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from itertools import product
from pathlib import Path

from benchmarks.side_by_side import arguments, in_turns, print_head, print_row, spread

ROOT = Path(__file__).resolve().parents[2]

PRODUCTS = ("mm", "linear", "matmul", "attention")
"""What the names of torch's operations contain that are matrix products, those of attention included."""

TRAINING = """
import json, random, resource, sys, time
import torch
import fewshot as fs
task, data, model, k = sys.argv[1:]
source, (pool, _) = fs.source(task, model), fs.load("und", task, data)
shots = random.Random(0).sample(list(pool), int(k))
begun = time.process_time()
fs.adapt(source, shots, device="cpu")
seconds = time.process_time() - begun
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
    fs.adapt(source, shots, device="cpu")
own = [(each.key, each.self_cpu_time_total) for each in profile.key_averages()]
products = sum(time for name, time in own if any(part in name for part in PRODUCTS))
print(json.dumps([seconds, 100 * products / sum(time for _, time in own), memory]))
""".replace("PRODUCTS", repr(PRODUCTS))


def trained(checkout: Path, *words: str) -> list[float]:
    """Train in another process by the code of a checkout; return seconds, percent in matrix products, and gigabytes."""
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    command = [sys.executable, "-c", TRAINING, *words]
    done = subprocess.run(command, env=environment, cwd=checkout, check=True, capture_output=True, text=True)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = arguments(__doc__, turns=3, data=[str], model="mini", before="")
    parser.add_argument("--k", action="append", type=int)
    given = parser.parse_args()
    sides = {"now": ROOT} | ({"before": Path(given.before).resolve()} if given.before else {})
    rows = []
    for named, k in product(given.data, given.k or [10, 100]):
        task, _, data = named.partition("=")
        words = (task, str(Path(data).resolve()), given.model, str(k))
        work = {name: partial(trained, checkout, *words) for name, checkout in sides.items()}
        turns = in_turns(work, given.turns, warm_up=False, show=lambda found: f"{found[0]:.1f} s")
        for name in sides:
            figures = [spread(column, ".1f") for column in zip(*(turn[name] for turn in turns), strict=True)]
            rows.append([task, k, name, *figures])
    print_head("task", "k", "", "processor s", "% in products", "GB", texts=3)
    for row in rows:
        print_row(*row)


if __name__ == "__main__":
    main()
