"""Time of training with attention as `fewshot.encoders.attention` chooses it, beside the fused one throughout.

    pip install -c constraints.txt '.[dev]'
    python tests/benchmarks/attention_ratio.py [--model mini] [--task pos] [--k 10] [--updates 50] [--turns 3]

Prints the median of the turns' ratios, with the smallest and the largest. The source model is continued on Japanese
examples of the sample, sequentially, all but its embeddings.
"""

from __future__ import annotations

import argparse
import statistics
import time
from unittest import mock

import torch

import fewshot as fs
from fewshot.encoders import attention
from fewshot.training import presets
from fewshot.training.adapt import adapt
from fewshot.training.model import Model


def seconds(source: Model, shots: list, updates: int) -> float:
    """Return the seconds of a training."""
    kind = presets.kind(source.encoder)
    recipe = presets.adaptation(source.task, kind, "freeze-0", regime="sequential", updates=updates)
    start = time.perf_counter()
    adapt(source, shots, recipe, 0, torch.device("cpu"))
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="mini")
    parser.add_argument("--task", default="pos")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--updates", type=int, default=50)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    source, pool = fs.source(arguments.task, arguments.model), fs.load("ja", arguments.task)[0]
    shots = fs.sample(pool, arguments.k)
    seconds(source, shots, 3)
    ratios = []
    for turn in range(1, arguments.turns + 1):
        chosen = seconds(source, shots, arguments.updates)
        with mock.patch.object(attention, "suit"):
            fused = seconds(source, shots, arguments.updates)
        ratios.append(fused / chosen)
        print(f"turn {turn}: as chosen {chosen:.1f} s, fused {fused:.1f} s")
    spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    print(f"fused attention takes {spread} times as long")


if __name__ == "__main__":
    main()
