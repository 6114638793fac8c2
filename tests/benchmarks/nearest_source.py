"""Whether joint training learns more beside the source sentences nearest to its shots than beside any of them.

    PYTHONPATH=tests python -m benchmarks.nearest_source --model mini --source SOURCE_MODEL \\
        --from ud/en_ewt/train.conllu [--from ...] --data ud/he_htb --data ud/eu_bdt [--split dev] [--k 10] [--sets 3]

Shots and test sentences are drawn from the same development file and never overlap. Of every ``--from`` file at most
``--read`` sentences are candidates, at random. *Nearest* are the `NEAREST` of each shot by the mean vectors that rank
languages (`fewshot.source_choice.criteria`), *any* are as many at random. Prints a Markdown table: a row a file,
zero-shot, and the means over sets of the sequential regime, of any and of nearest sentences; at the end the mean lead
of the nearest over any, ± half of its 95% interval over files and sets (Student's t).
"""

import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.recipes import halves
from benchmarks.side_by_side import arguments, cell, examples_of, print_head, print_row
from torch import Tensor
from torch.nn.functional import normalize

from fewshot.corpora.load import read
from fewshot.encoders.load import load_encoder
from fewshot.evaluation import evaluate
from fewshot.source_choice import criteria
from fewshot.training import presets
from fewshot.training.adapt import adapt, resolve_device
from fewshot.training.batching import prepare
from fewshot.training.model import load_model

NEAREST = 50
"""Source sentences of a shot."""


def nearest(shots: Tensor, candidates: Tensor, mean: Tensor, each: int = NEAREST) -> list[int]:
    """Return the places of the candidates that are nearest to any shot, seen from a mean, each once."""
    alike = normalize(shots - mean, dim=-1) @ normalize(candidates - mean, dim=-1).T
    return sorted(set(alike.topk(min(each, len(candidates))).indices.flatten().tolist()))


def main() -> None:
    options = {"model": str, "source": Path, "data": [Path], "split": "dev", "read": 1000, "k": 10, "sets": 3}
    parser = arguments(__doc__, **options, tested=300)
    parser.add_argument("--from", dest="candidates", action="append", type=Path, required=True)
    given = parser.parse_args()
    device, source = resolve_device(), load_model(given.source, load_encoder(given.model))
    task, kind = source.task, presets.encoder_size(source.encoder)
    encoder = load_encoder(given.model)  # as it was before it learned the task

    def some(path: Path) -> Sequence[Any]:
        whole = [one for one in read(path, kind=task.example.kind, task=task) if task.is_annotated(one)]
        return random.Random(0).sample(whole, min(given.read, len(whole)))

    candidates = [one for path in given.candidates for one in some(path)]
    vectors = criteria.read(encoder, task, candidates, device).vectors

    def score(shots: Sequence[Any], test: Sequence[Any], seed: int, beside: Sequence[int] = ()) -> float:
        recipe = presets.adaptation(task, kind, regime="joint" if beside else "sequential")
        mixed = prepare(source, [candidates[place] for place in beside]) if beside else None
        return evaluate(adapt(source, shots, recipe, seed, device, mixed), test).score

    print_head("", "zero-shot", "sequential", "joint, any", "joint, nearest")
    leads: list[float] = []
    for folder in given.data:
        pool, test = halves(examples_of(folder, given.split, task), given.tested)
        rows = []
        for number in range(given.sets):
            shots = random.Random(f"{given.k} {number}").sample(pool, given.k)
            near = nearest(criteria.read(encoder, task, shots, device).vectors, vectors, vectors.mean(0))
            anything = random.Random(number).sample(range(len(candidates)), len(near))
            rows.append([score(shots, test, number, beside) for beside in ((), anything, near)])
            leads.append(rows[-1][2] - rows[-1][1])
        means = (fmean(column) for column in zip(*rows, strict=True))
        cells = (f"{score:.1f}" for score in (evaluate(source, test).score, *means))
        print_row(folder.name, *cells)
    print(f"\nnearest ahead of any: {cell(leads)}")


if __name__ == "__main__":
    main()
