"""What encoders transfer: source models trained alike on English, scored on other languages with no sentence of them.

    PYTHONPATH=tests python -m benchmarks.zero_shot --source ud/en_ewt --data ud/ja_gsd --data ud/sv_talbanken \\
        --model mini --model OTHER_ENCODER [--task pos] [--split test] [--seeds 3]

Prints a Markdown table: a row an encoder, the source's own file first, then each language and the mean over them; with
several seeds the mean of their models, ± half of its 95% interval (Student's t). The score is the task's own: accuracy
for POS, span F1 for NER. Choose between encoders by ``--split dev``; report ``--split test``.
"""

import statistics
from pathlib import Path

from benchmarks.side_by_side import arguments, cell, examples_of, print_head, print_row
from rich.console import Console
from rich.progress import track

from fewshot import tasks
from fewshot.encoders.load import load_encoder
from fewshot.evaluation import evaluate
from fewshot.experiments.source_data import read_train_file
from fewshot.training import presets
from fewshot.training.adapt import resolve_device, train_source


def main() -> None:
    options = {"model": [str], "source": Path, "data": [Path], "task": "pos", "split": "test", "seeds": 1}
    given = arguments(__doc__, **options).parse_args()
    task = tasks.get(given.task)
    english = read_train_file(given.source, task)
    task = task.fitted(english)
    files = {folder.name: examples_of(folder, given.split, task) for folder in (given.source, *given.data)}
    print_head("encoder", *files, "mean but the first")
    for name in given.model:
        encoder = load_encoder(name)
        recipe = presets.source(task, presets.encoder_size(encoder))
        rows = []
        for seed in track(range(given.seeds), name, console=Console(stderr=True), transient=True):
            model = train_source(task, encoder, english, recipe, seed, resolve_device())
            scores = [evaluate(model, examples).score for examples in files.values()]
            rows.append([*scores, statistics.mean(scores[1:])])
        print_row(name, *(cell(scores) for scores in zip(*rows, strict=True)))


if __name__ == "__main__":
    main()
