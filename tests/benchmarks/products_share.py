"""How much of a training on k sentences are matrix products: the floor of what it takes, whoever wrote the loop.

    pip install -c constraints.txt '.[dev]'
    OMP_NUM_THREADS=1 python tests/benchmarks/products_share.py [--task pos] [--method full] [--k 10] [--updates 30]

A source model is continued on Japanese sentences of the sample, under torch's profiler. Prints the share of CPU time
that products take, that of operations on all weights (optimizer, clipping, sums of gradients), and what else takes
most. Shares of one run: a machine that is slow is so in all of them.
"""

from __future__ import annotations

import argparse

import torch
from torch.profiler import ProfilerActivity, profile

import fewshot as fs
from fewshot import tasks
from fewshot.encoders.load import load_encoder
from fewshot.experiments.trainer import load_trainer

PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "mkldnn::", "aten::_scaled_dot_product")
WEIGHTS = ("aten::_fused_adamw_", "aten::linalg_vector_norm", "aten::_foreach_", "aten::lerp_")
SHOWN = 8


def profiled(task: str, method: str, k: int, updates: int) -> dict[str, float]:
    """Return the microseconds of each operation in one training, those of what it calls not counted."""
    encoder, device = load_encoder("mini"), torch.device("cpu")
    trainer = load_trainer(tasks.get(task), "ja", encoder, device, method, {"updates": updates})
    shots = fs.sample(fs.load("ja", task)[0], k)
    with profile(activities=[ProfilerActivity.CPU]) as profiling:
        trainer.train(shots, seed=0)
    return {each.key: each.self_cpu_time_total for each in profiling.key_averages()}


def share(taken: dict[str, float], names: tuple[str, ...]) -> float:
    """Return the percentage that operations take whose names begin so."""
    return 100 * sum(each for name, each in taken.items() if name.startswith(names)) / sum(taken.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", default="pos")
    parser.add_argument("--method", default="full")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--updates", type=int, default=30)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    taken = profiled(arguments.task, arguments.method, arguments.k, arguments.updates)
    print(f"matrix products {share(taken, PRODUCTS):.1f}%, all weights at once {share(taken, WEIGHTS):.1f}%")
    rest = {name: each for name, each in taken.items() if not name.startswith((*PRODUCTS, *WEIGHTS))}
    for name in sorted(rest, key=lambda name: -rest[name])[:SHOWN]:
        print(f"{100 * rest[name] / sum(taken.values()):5.1f}% {name}")


if __name__ == "__main__":
    main()
