"""``fewshot source``: train and keep the source-language model of a task."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from fewshot import tasks
from fewshot.commands.data import downloading
from fewshot.corpora.load import find_split, fingerprint, locate, read
from fewshot.encoders import load as encoders
from fewshot.evaluation import evaluate
from fewshot.experiments.setup import train_file
from fewshot.training import adapt
from fewshot.training import source as sources
from fewshot.training.model import find_card
from fewshot.training.recipe import Recipe


def source(
    data: str,
    task_name: str,
    model_name: str,
    lang: str,
    method: str,
    epochs: int | None,
    seed: int,
    device: str,
    out: Path | None,
    console: Console,
) -> None:
    """Train a source model unless the same one is kept already, score it on the dev file, and say where it is."""
    task = tasks.get(task_name)
    kind = task.example.kind
    with downloading(console) as progress:
        path = locate(lang, data, kind, progress)
    examples = train_file(path, kind)
    dev = find_split(path, "dev", kind) if path.is_dir() else None
    held_out = read(dev) if dev else []
    tasks.check_gold(task, examples)
    task = task.fitted(examples)
    tasks.check_gold(task, held_out)
    on = adapt.device(device)
    encoder = encoders.load(model_name)
    recipe = Recipe.source(encoder.hidden, method)
    if epochs is not None:
        recipe = replace(recipe, epochs=epochs)
    place = out or sources.folder(sources.kept_in(), task, encoder, fingerprint(examples), recipe, seed)
    if out is None and find_card(place):
        console.print(f"kept already: {place}", soft_wrap=True)
        return
    console.print(
        f"{task.title}: {len(examples)} {lang} {kind} of {path}, encoder {model_name}, {on.type}", soft_wrap=True
    )
    started = perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        row = bars.add_task("updates", total=None)
        model = adapt.train_source(
            task, encoder, examples, recipe, seed, on, lambda p: bars.update(row, completed=p.update, total=p.updates)
        )
    model.card = {
        "lang": lang,
        "data": str(path.resolve()),
        "data_fingerprint": fingerprint(examples),
        kind: len(examples),
        "recipe": asdict(recipe),
        "seed": seed,
        "seconds": round(perf_counter() - started, 1),
    }
    if held_out:
        evaluation = evaluate(model, held_out)
        model.card |= {"dev": dict(evaluation.metrics)}
        console.print(f"dev: {evaluation}")
    model.save(place)
    console.print(f"kept: {place}", soft_wrap=True)
