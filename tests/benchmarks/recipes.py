"""What recipes make of k sentences: how presets are decided, on development data of languages that no table shows.

    PYTHONPATH=tests python -m benchmarks.recipes --model mini --source SOURCE_MODEL --recipes recipes.json \\
        --out found.jsonl --data ner/wikiann_he --data ner/wikiann_eu [--split train] [--k 10 --k 100] [--sets 3]

``recipes.json`` names recipes, each with what differs from the preset: ``{"sequential": {"regime": "sequential",
"encoder_lr": 5e-5}, "paper": {"method": "lauscher2020"}}``; ``{}`` is the preset itself. Shots and test sentences are
drawn from the same development file and never overlap; labels that the source model lacks are learned too. Every score
is appended to ``--out`` with the processor time of its training, and what is there is not trained again. Prints a
Markdown table: a row a recipe, first zero-shot, and for each k the mean over languages and sets with, behind it, the
mean lead over the preset, ± half of its 95% interval over languages and sets (Student's t), and the mean processor time
of a training; its ratios hold on a busy machine too.
"""

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.side_by_side import arguments, cell, examples_of

from fewshot.encoders.load import load_encoder
from fewshot.evaluation import evaluate
from fewshot.experiments.source_data import load_mixed_in
from fewshot.experiments.trainer import Trainer
from fewshot.training import presets
from fewshot.training.adapt import resolve_device
from fewshot.training.batching import Prepared, prepare
from fewshot.training.model import Model, load_model
from fewshot.training.recipe import Recipe

PRESET = "preset"


def halves(examples: Sequence[Any], tested: int) -> tuple[list[Any], list[Any]]:
    """Return what shots are drawn from, and what is scored: at most so many, at most half."""
    shuffled = random.Random(0).sample(list(examples), len(examples))
    tested = min(tested, len(shuffled) // 2)
    return shuffled[tested:], shuffled[:tested]


Key = tuple[str, int, str, int]
"""Data, k, recipe, and number of the set of shots."""


def table(found: Mapping[Key, float], spent: Mapping[Key, float], ks: Sequence[int]) -> Iterator[str]:
    names = list(dict.fromkeys(name for _, k, name, _ in found if k))
    zero = [score for (_, k, _, _), score in found.items() if k == 0]
    yield "| recipe | " + " | ".join(f"k = {k}" for k in ks) + " |"
    yield "|---|" + "---:|" * len(ks)
    yield f"| zero-shot | {sum(zero) / len(zero):.1f} |" + " |" * (len(ks) - 1)
    for name in names:
        cells = []
        for k in ks:
            mine = {(data, n): score for (data, at, which, n), score in found.items() if (at, which) == (k, name)}
            leads = [score - found[data, k, PRESET, n] for (data, n), score in mine.items() if name != PRESET]
            mean = f"{sum(mine.values()) / len(mine):.1f}" if mine else ""
            took = [spent[data, k, name, n] for data, n in mine]
            shown = f", {sum(took) / len(took):.1f} s" if took else ""
            cells.append((f"{mean} ({cell(leads)})" if leads else mean) + shown)
        yield f"| {name} | {' | '.join(cells)} |"


def measure(
    source: Model, given: argparse.Namespace, recipes: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[Key, Callable[[], tuple[float, float]]]]:
    """Yield the key of everything and what measures its score and seconds, zero-shot of each file first."""
    kind = presets.encoder_size(source.encoder)

    @cache
    def english(start: Model, regime: str) -> Prepared | None:
        mixed, _ = load_mixed_in(start, presets.adaptation(start.task, kind, regime=regime), None)
        return prepare(start, mixed) if mixed else None

    def score(
        start: Model, recipe: Recipe, shots: Sequence[Any], pool: Sequence[Any], test: Sequence[Any], seed: int
    ) -> tuple[float, float]:
        trainer = Trainer("", source, start, "", recipe, english(start, recipe.regime), "", resolve_device(), {})
        begun = time.process_time()
        adapted = trainer.train(shots, seed, pool=pool)
        spent = time.process_time() - begun
        return evaluate(adapted, test).score, spent

    for folder in given.data:
        examples = [one for one in examples_of(folder, given.split, source.task) if source.task.is_annotated(one)]
        start = source.with_labels_of(source.task.fitted(examples))
        pool, test = halves(examples, given.tested)
        yield (folder.name, 0, PRESET, 0), partial(lambda *of: (evaluate(*of).score, 0.0), start, test)
        for k, number in product(given.k, range(given.sets)):
            shots = random.Random(f"{k} {number}").sample(pool, k)
            for name, changes in recipes.items():
                settings = dict(changes)
                method = settings.pop("method", "full")
                recipe = presets.adaptation(start.task, kind, method, start is source, **settings)
                yield (folder.name, k, name, number), partial(score, start, recipe, shots, pool, test, number)


def main() -> None:
    options = {"model": str, "source": Path, "recipes": Path, "out": Path, "data": [Path], "split": "dev"}
    parser = arguments(__doc__, **options, sets=1, tested=300)
    parser.add_argument("--k", action="append", type=int)
    given = parser.parse_args()
    given.k = given.k or [10, 100]
    source = load_model(given.source, load_encoder(given.model))
    recipes = {PRESET: {}} | json.loads(given.recipes.read_text(encoding="utf-8"))
    lines = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    known = [(tuple(key), score, spent) for key, score, spent in map(json.loads, lines)]
    found, spent = {key: score for key, score, _ in known}, {key: seconds for key, _, seconds in known}
    for key, score in measure(source, given, recipes):
        if key not in found:
            found[key], spent[key] = score()
            with given.out.open("a", encoding="utf-8") as file:
                print(json.dumps([key, found[key], spent[key]]), file=file)
            print(*key, f"{found[key]:.1f}", f"{spent[key]:.1f} s", flush=True)
    print(*table(found, spent, given.k), sep="\n")


if __name__ == "__main__":
    main()
