"""Whether joint training learns more beside the source sentences nearest to its shots than beside any of them.

    pip install -c constraints.txt '.[dev]'
    PYTHONPATH=tests python -m benchmarks.nearest_source --model mini --source SOURCE_MODEL \\
        --from ud/en_ewt/train.conllu [--from ...] --data ud/he_htb --data ud/eu_bdt [--split dev] [--k 10] [--sets 3]

Shots and test sentences are drawn from the same development file and never overlap. Of every ``--from`` file at most
``--read`` sentences are candidates, at random. *Nearest* are the `NEAREST` of each shot by the mean vectors that rank
languages (`fewshot.papers.source_choice.criteria`), *any* are as many at random. Prints a Markdown table: a row a file,
zero-shot, and the means over sets of the sequential regime, of any and of nearest sentences; at the end the mean lead
of the nearest over any, ± half of its 95% interval over files and sets (Student's t).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.recipes import halves
from benchmarks.zero_shot import cell, split
from torch import Tensor
from torch.nn.functional import normalize

from fewshot.corpora.load import read
from fewshot.encoders.load import load_encoder
from fewshot.evaluation import evaluate
from fewshot.papers.source_choice import criteria
from fewshot.training import presets
from fewshot.training.adapt import adapt, find_device
from fewshot.training.batching import prepare
from fewshot.training.model import load_model

NEAREST = 50
"""Source sentences of a shot."""


def nearest(shots: Tensor, candidates: Tensor, mean: Tensor, each: int = NEAREST) -> list[int]:
    """Return the places of the candidates that are nearest to any shot, seen from a mean, each once."""
    alike = normalize(shots - mean, dim=-1) @ normalize(candidates - mean, dim=-1).T
    return sorted(set(alike.topk(min(each, len(candidates))).indices.flatten().tolist()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--from", dest="candidates", action="append", type=Path, required=True)
    parser.add_argument("--read", type=int, default=1000)
    parser.add_argument("--data", action="append", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--tested", type=int, default=300)
    arguments = parser.parse_args()
    device, source = find_device(), load_model(arguments.source, load_encoder(arguments.model))
    task, kind = source.task, presets.kind(source.encoder)
    encoder = load_encoder(arguments.model)  # as it was before it learned the task

    def some(path: Path) -> Sequence[Any]:
        whole = [one for one in read(path, kind=task.example.kind, task=task) if task.is_annotated(one)]
        return random.Random(0).sample(whole, min(arguments.read, len(whole)))

    candidates = [one for path in arguments.candidates for one in some(path)]
    vectors = criteria.read(encoder, task, candidates, device).vectors

    def score(shots: Sequence[Any], test: Sequence[Any], seed: int, beside: Sequence[int] = ()) -> float:
        recipe = presets.adaptation(task, kind, regime="joint" if beside else "sequential")
        mixed = prepare(source, [candidates[place] for place in beside]) if beside else None
        return evaluate(adapt(source, shots, recipe, seed, device, mixed), test).score

    print("| | zero-shot | sequential | joint, any | joint, nearest |", "|---|---:|---:|---:|---:|", sep="\n")
    leads: list[float] = []
    for folder in arguments.data:
        path = split(folder, arguments.split, task.example.kind)
        pool, test = halves(read(path, kind=task.example.kind, task=task), arguments.tested)
        rows = []
        for number in range(arguments.sets):
            shots = random.Random(f"{arguments.k} {number}").sample(pool, arguments.k)
            near = nearest(criteria.read(encoder, task, shots, device).vectors, vectors, vectors.mean(0))
            anything = random.Random(number).sample(range(len(candidates)), len(near))
            rows.append([score(shots, test, number, beside) for beside in ((), anything, near)])
            leads.append(rows[-1][2] - rows[-1][1])
        means = (fmean(column) for column in zip(*rows, strict=True))
        cells = (f"{score:.1f}" for score in (evaluate(source, test).score, *means))
        print(f"| {folder.name} |", " | ".join(cells), "|", flush=True)
    print(f"\nnearest ahead of any: {cell(leads)}")


if __name__ == "__main__":
    main()
