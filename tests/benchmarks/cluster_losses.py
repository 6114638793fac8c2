"""A Ray cluster of three nodes on this machine: nodes that are killed in the middle, and ten thousand empty runs.

    python tests/benchmarks/cluster_losses.py [--losses 20] [--runs 10000]

First an experiment of the embedded Japanese sample is carried out in one process and on the cluster, where one node
after the other is killed while it works and a new one takes its place, again and again until so many were lost; its
scores have to be equal to the digit. Then runs that do nothing are handed out by two processes and by the cluster.
"""

import random
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.side_by_side import arguments, seconds
from experiments.planned import scores
from ray.cluster_utils import Cluster

from fewshot.corpora.load import load
from fewshot.costs import prices
from fewshot.experiments.executors.base import Workers
from fewshot.experiments.executors.cluster import connect_to_ray
from fewshot.experiments.executors.local import Local
from fewshot.experiments.experiment import load_experiment
from fewshot.experiments.plan import Plan
from fewshot.experiments.run import execute

PLAN = Plan("pos", "ja", (5,), ("random",), 12, 1, "full", {"updates": 40}, False)
BETWEEN = (10.0, 40.0)
"""Seconds between two losses, drawn uniformly."""


@dataclass(frozen=True)
class Empty:
    key: int


class Nothing:
    device = torch.device("cpu")
    max_processes = 2
    process_bytes = 3e8

    def prepared(self) -> Self:
        return self

    def to(self, device: torch.device) -> Self:
        return self

    def carry_out(self, run: Empty, tell: object) -> int:
        return run.key

    def keep(self, run: Empty, found: int) -> int:
        return found


def trained(out: Path, workers: Workers, told: object = None) -> list[object]:
    """Return the results of the experiment."""
    experiment = load_experiment(PLAN, load("ja", "sample"), "mini", torch.device("cpu"))
    return execute(experiment, out, prices.load(), told, workers=workers)


def with_losses(nodes: Cluster, places: list[object], workers: Workers, out: Path, chance: random.Random) -> int:
    """Carry the experiment out while nodes are lost, and return how many were."""
    lost, due = 0, time.monotonic() + chance.uniform(*BETWEEN)

    def told(_: object) -> None:
        nonlocal lost, due
        if time.monotonic() >= due:
            nodes.remove_node(places.pop(chance.randrange(len(places))), allow_graceful=False)
            places.append(nodes.add_node(num_cpus=1))
            lost, due = lost + 1, time.monotonic() + chance.uniform(*BETWEEN)

    trained(out, workers, told)
    return lost


def empty(workers: Workers, runs: int) -> None:
    """Carry so many empty runs out, each of them once."""
    with workers.start(Nothing(), runs) as carry_out:
        found = [number for _, number in carry_out(deque(map(Empty, range(runs))), lambda *_: None)]
    if sorted(found) != list(range(runs)):
        raise SystemExit(f"{len(found)} of {runs} runs came back, {len(set(found))} of them different")


def main() -> None:
    given = arguments(__doc__, losses=20, runs=10000).parse_args()
    torch.set_num_threads(1)
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    chance = random.Random(0)
    places = [nodes.add_node(num_cpus=1) for _ in range(2)]
    nodes.wait_for_nodes()
    with tempfile.TemporaryDirectory() as folder, connect_to_ray(nodes.address) as workers:
        started = time.perf_counter()
        alone = trained(Path(folder, "alone"), Local(None))
        print(f"one process: {len(alone)} results in {time.perf_counter() - started:.0f} s", flush=True)
        lost, turn = 0, 0
        while lost < given.losses:
            started, turn = time.perf_counter(), turn + 1
            now = with_losses(nodes, places, workers, Path(folder, str(turn)), chance)
            found = trained(Path(folder, str(turn)), workers)
            if scores(found) != scores(alone) or len(found) != len(alone):
                raise SystemExit("the cluster found something else")
            lost += now
            taken = time.perf_counter() - started
            print(f"cluster: {len(found)} results, equal, {now} nodes lost, {taken:.0f} s", flush=True)
        print(f"{lost} nodes lost in all, and no result")
        for what, place in (("two processes", Local(2)), ("cluster", workers)):
            for count in (1, given.runs):
                print(f"{what}: {count} empty runs in {seconds(partial(empty, place, count)):.1f} s", flush=True)
    nodes.shutdown()


if __name__ == "__main__":
    main()
