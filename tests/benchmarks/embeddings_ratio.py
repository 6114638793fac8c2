"""Time of training the embeddings of the pieces that occur, of training none, and of training all, side by side.

    pip install -c constraints.txt '.[dev]'
    OMP_NUM_THREADS=1 python tests/benchmarks/embeddings_ratio.py [--model mini] [--k 10] [--updates 100] [--turns 3]

Prints the median of the turns' ratios, with the smallest and the largest. The tagger is continued on Japanese sentences
of the sample. Nothing is decayed, so that the first and the last end in the same weights, which is checked.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any
from unittest import mock

import torch

import fewshot as fs
from fewshot.encoders import vocabulary
from fewshot.training import presets
from fewshot.training.adapt import adapt
from fewshot.training.model import Model

CPU = torch.device("cpu")


def timed(source: Model, shots: list, method: str, updates: int) -> tuple[float, Model]:
    """Return the seconds of a training and its model."""
    recipe = presets.adaptation(
        source.task, presets.kind(source.encoder), method, regime="sequential", updates=updates, weight_decay=0.0
    )
    start = time.perf_counter()
    model = adapt(source, shots, recipe, 0, CPU)
    return time.perf_counter() - start, model


def whole_table(module: Any, ids: object) -> None:
    """Give an encoder a table of its own, all of which is trained."""
    vocabulary.replace_rows(module, torch.empty(0, dtype=torch.long), torch.empty(0, module.config.hidden_size))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="mini")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    source, pool = fs.source("pos", arguments.model), fs.load("ja", "pos")[0]
    shots = fs.sample(pool, arguments.k)
    timed(source, shots, "freeze-none", 3)
    ratios: dict[str, list[float]] = {"none": [], "all": []}
    for turn in range(1, arguments.turns + 1):
        occurring, some = timed(source, shots, "freeze-none", arguments.updates)
        none, _ = timed(source, shots, "freeze-0", arguments.updates)
        with mock.patch.object(vocabulary, "narrow", whole_table):
            every, whole = timed(source, shots, "freeze-none", arguments.updates)
        same = all(map(torch.equal, some.state_dict().values(), whole.state_dict().values()))
        assert same, "training the pieces that occur came to other weights than training all"
        for name, seconds in (("none", none), ("all", every)):
            ratios[name].append(seconds / occurring)
        print(f"turn {turn}: those that occur {occurring:.1f} s, none {none:.1f} s, all {every:.1f} s")
    for name, found in ratios.items():
        spread = f"{statistics.median(found):.2f} ({min(found):.2f} to {max(found):.2f})"
        print(f"training {name} takes {spread} times as long as training those that occur")


if __name__ == "__main__":
    main()
