"""What scheduling alone takes on a Ray cluster: an experiment whose runs do nothing, beside as many empty tasks of Ray.

    pip install -c constraints.txt '.[dev]'
    python tests/benchmarks/scheduling_ratio.py [--runs 10000] [--turns 3]

The cluster is three nodes of this machine, of which the first does no runs. The experiment is one of *mini* on the
sample's Japanese sentences: drawing, handing the model over, each result on the disk before the next is taken. Prints
the seconds of both in each turn, and the median of their ratios.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ray
import torch
from ray.cluster_utils import Cluster

from fewshot.corpora.load import load
from fewshot.costs import prices
from fewshot.evaluation import Evaluation
from fewshot.experiments.executors import cluster
from fewshot.experiments.executors.base import Tell
from fewshot.experiments.experiment import Experiment, Finding, Run, load_experiment
from fewshot.experiments.plan import Plan
from fewshot.experiments.run import execute

DRAWS, SEEDS = 20, 10


class Empty(Experiment):
    """An experiment of which no run trains anything."""

    def carry_out(self, run: Run, tell: Tell) -> Finding:
        """Return a score at once."""
        return Finding(Evaluation("accuracy", 50.0, 49.0, 51.0, {"accuracy": 50.0}, 100), 0.0, ())


def empty(runs: int) -> Experiment:
    """Return an experiment of about that many runs."""
    ks = tuple(range(1, runs // (DRAWS * SEEDS) + 1))
    plan = Plan("pos", "ja", ks, ("random",), DRAWS, SEEDS)
    found = load_experiment(plan, load("ja"), "mini", torch.device("cpu"))
    return Empty(found.trainer, found.corpus, found.conditions, found.shots)


@contextmanager
def nodes() -> Iterator[str]:
    """Start a cluster of three nodes and give its address."""
    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        started.add_node(num_cpus=1)
    try:
        yield started.address
    finally:
        started.shutdown()


def ours(experiment: Experiment, workers: cluster.Cluster) -> float:
    """Return the seconds of the experiment."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        found = execute(experiment, Path(folder), prices.load(), keep=False, workers=workers)
        taken = time.perf_counter() - start
    assert len(found) == len(experiment.conditions)
    return taken


def nothing() -> None:
    """Do what a run does at least."""


def plain(runs: int) -> float:
    """Return the seconds of as many tasks of Ray that do nothing."""
    task = ray.remote(num_cpus=1)(nothing)
    start = time.perf_counter()
    ray.get([task.remote() for _ in range(runs)])
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    experiment = empty(arguments.runs)
    ratios = []
    with nodes() as address, cluster.connected(address) as workers:
        for _ in range(arguments.turns):
            taken, floor = ours(experiment, workers), plain(len(experiment.conditions))
            ratios.append(taken / floor)
            print(f"{len(experiment.conditions)} runs {taken:.1f} s, tasks of Ray alone {floor:.1f} s")
    print(f"{statistics.median(ratios):.2f} times what Ray takes alone")


if __name__ == "__main__":
    main()
