"""What encoders transfer: source models trained alike on English, scored on other languages with no sentence of them.

    pip install -c constraints.txt '.[dev]'
    python tests/benchmarks/zero_shot.py --source ud/en_ewt --data ud/ja_gsd --data ud/sv_talbanken \\
        --model mini --model OTHER_ENCODER [--task pos] [--split test] [--seeds 3]

Prints a Markdown table: a row an encoder, the source's own file first, then each language and the mean over them; with
several seeds the mean of their models, ± half of its 95% interval (Student's t). The score is the task's own: accuracy
for POS, span F1 for NER. Choose between encoders by ``--split dev``; report ``--split test``.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track
from scipy.special import stdtrit

from fewshot import tasks
from fewshot.corpora.load import find_split, read
from fewshot.encoders.load import load_encoder
from fewshot.evaluation import evaluate
from fewshot.experiments.source_data import train_file
from fewshot.training import presets
from fewshot.training.adapt import find_device, train_source


def split(folder: Path, name: str, kind: str) -> Path:
    """Return the file of a split, and no other: a test set must not be chosen by."""
    found = find_split(folder, name, kind)
    if not found:
        raise SystemExit(f"{folder}: no {name} file of {kind} here")
    return found


def cell(scores: Sequence[float]) -> str:
    """Return the mean over seeds and, where there are several, half of its 95% interval."""
    mean, n = statistics.mean(scores), len(scores)
    if n == 1:
        return f"{mean:.1f}"
    return f"{mean:.1f} ± {stdtrit(n - 1, 0.975) * statistics.stdev(scores) / n**0.5:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--data", action="append", type=Path, required=True)
    parser.add_argument("--task", default="pos")
    parser.add_argument("--split", default="test")
    parser.add_argument("--seeds", type=int, default=1)
    arguments = parser.parse_args()
    task = tasks.get(arguments.task)
    english, kind = train_file(arguments.source, task), task.example.kind
    task = task.fitted(english)
    folders = (arguments.source, *arguments.data)
    files = {folder.name: read(split(folder, arguments.split, kind), kind=kind, task=task) for folder in folders}
    print("| encoder |", " | ".join(files), "| mean but the first |")
    print("|---|", "---:|" * (len(files) + 1), sep="")
    for name in arguments.model:
        encoder = load_encoder(name)
        recipe = presets.source(task, presets.kind(encoder))
        rows = []
        for seed in track(range(arguments.seeds), name, console=Console(stderr=True), transient=True):
            model = train_source(task, encoder, english, recipe, seed, find_device())
            scores = [evaluate(model, examples).score for examples in files.values()]
            rows.append([*scores, statistics.mean(scores[1:])])
        print(f"| {name} |", " | ".join(cell(scores) for scores in zip(*rows, strict=True)), "|", flush=True)


if __name__ == "__main__":
    main()
