"""Time of one training on k sentences with one encoder, beside another: mini, say, and the whole that it was cut from.

    pip install -c constraints.txt '.[dev]'
    python tests/benchmarks/encoders_ratio.py --model mini --model multilingual-e5-small [--k 10] [--turns 3]

A tagger with a new head is trained as `fewshot run` would continue a source model on k Japanese sentences of the
sample, with the preset of each encoder. They take turns in one process. Prints the seconds of each, and the median of
the turns' ratios to the first, with the smallest and the largest.
"""

from __future__ import annotations

import argparse
import statistics
import time

import fewshot as fs
from fewshot import tasks
from fewshot.encoders.load import load_encoder
from fewshot.training import presets
from fewshot.training.adapt import adapt, find_device
from fewshot.training.model import Model, new


def seconds(model: Model, shots: list) -> float:
    """Return the seconds of a training."""
    recipe = presets.adaptation(model.task, presets.kind(model.encoder), regime="sequential")
    start = time.perf_counter()
    adapt(model, shots, recipe, 0, find_device("cpu"))
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    task, pool = tasks.get("pos"), fs.load("ja", "pos")[0]
    shots = fs.sample(pool, arguments.k)
    models = {name: new(task, load_encoder(name), seed=0, dropout=0.1) for name in arguments.model}
    turns = []
    for _ in range(arguments.turns):
        turns.append({name: seconds(model, shots) for name, model in models.items()})
        print("; ".join(f"{name} {taken:.1f} s" for name, taken in turns[-1].items()), flush=True)
    first = arguments.model[0]
    for name in arguments.model[1:]:
        ratios = [turn[name] / turn[first] for turn in turns]
        print(f"{name} takes {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) times as long")


if __name__ == "__main__":
    main()
