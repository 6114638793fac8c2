"""``fewshot source``: train and keep the source-language model of a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from fewshot import tasks
from fewshot.commands.data import downloading
from fewshot.corpora.load import find_split, fingerprint, locate, read
from fewshot.corpora.types import Example
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments import search
from fewshot.experiments.plan import digest
from fewshot.experiments.trainer import train_file
from fewshot.progress import Report
from fewshot.training import presets, sources
from fewshot.training.adapt import find_device, train_source
from fewshot.training.model import Model, find_card
from fewshot.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot source --help``."""

    data: str
    task: str
    model: str
    lang: str
    method: str
    epochs: int | None
    search: bool
    seed: int
    device: str
    out: Path | None


@dataclass(frozen=True)
class Job:
    """What a source model is made from.

    Args:
        request: the options.
        task: with the labels of the training data.
        encoder: the pretrained encoder.
        path: of the data.
        examples: of the training file.
        dev: of the development file; empty where there is none.
        device: where to train.
    """

    request: Request
    task: tasks.Task[Any]
    encoder: Encoder
    path: Path
    examples: Sequence[Example]
    dev: Sequence[Example]
    device: torch.device


def source(request: Request, console: Console) -> None:
    """Train a source model unless the same one is kept already, score it on the dev file, and say where it is."""
    if request.search and request.epochs is not None:
        raise FewshotError("--search tries 3 and 4 epochs; leave out --epochs")
    presets.check_source_method(request.method)
    if request.search:
        search.check_method(request.method)
    job = _prepare(request, console)
    epochs = {} if request.epochs is None else {"epochs": request.epochs}
    recipe = presets.source(job.task, job.encoder.hidden, request.method, **epochs)
    (_search if request.search else _train)(job, recipe, console)


def _prepare(request: Request, console: Console) -> Job:
    task = tasks.get(request.task)
    kind = task.example.kind
    with downloading(console) as progress:
        path = locate(request.lang, request.data, kind, progress, tasks.real_data(task))
    examples = train_file(path, task)
    found = find_split(path, "dev", kind) if path.is_dir() else None
    if request.search and found is None:
        raise FewshotError(
            f"{path}: --search chooses by a dev file of the source language, and there is none; "
            f"give --data a folder with a train and a dev file of {kind}"
        )
    dev = read(found, request.lang, kind, task) if found else []
    tasks.check_gold(task, examples)
    task = task.fitted(examples)
    tasks.check_gold(task, dev)
    device = find_device(request.device)
    return Job(request, task, load_encoder(request.model), path, examples, dev, device)


def _train(job: Job, recipe: Recipe, console: Console) -> None:
    request, root = job.request, sources.kept_in()
    place = request.out or sources.folder(root, job.task, job.encoder, fingerprint(job.examples), recipe, request.seed)
    if request.out is None and find_card(place):
        console.print(f"kept already: {place}", soft_wrap=True)
        return
    _announce(job, console)
    with _progress(console) as say:
        model = _trained(job, recipe, say)
    if job.dev:
        evaluation = evaluate(model, job.dev)
        model.card |= {"dev": dict(evaluation.metrics)}
        console.print(f"dev: {evaluation}")
    model.save(place)
    console.print(f"kept: {place}", soft_wrap=True)


def _search(job: Job, recipe: Recipe, console: Console) -> None:
    candidates = search.grid(recipe, job.encoder.hidden)
    made_from = {
        "task": job.task.name,
        "labels": list(job.task.labels),
        "encoder": job.encoder.fingerprint,
        "data": fingerprint(job.examples),
        "dev": fingerprint(job.dev),
        "seed": job.request.seed,
        "lang": job.request.lang,
        "device": job.device.type,
    }
    name = f"{job.task.name}-{Path(job.encoder.name).name}-{digest([made_from, recipe.described()])[:12]}"
    place = job.request.out or sources.kept_in() / name
    _announce(job, console)
    if warning := search.small(len(job.examples), len(job.dev), job.task.example.kind):
        console.print(f"warning: {warning}", soft_wrap=True)
    with _progress(console) as say:

        def train(candidate: Recipe) -> tuple[Model, float, float]:
            started = perf_counter()
            model = _trained(job, candidate, say)
            evaluation = evaluate(model, job.dev)
            model.card |= {"dev": dict(evaluation.metrics)}
            settings = f"rate {candidate.encoder_lr:g}, batch {candidate.batch}, {candidate.epochs} epochs"
            console.print(f"{settings}: dev {evaluation}")
            return model, evaluation.score, round(perf_counter() - started, 1)

        trials = search.search(candidates, train, made_from, place)
    console.print(_table(trials, job.task))
    console.print(f"kept: {place}", soft_wrap=True)


def _trained(job: Job, recipe: Recipe, say: Report) -> Model:
    request, started = job.request, perf_counter()
    model = train_source(job.task, job.encoder, job.examples, recipe, request.seed, job.device, say)
    model.card = {
        "lang": request.lang,
        "data": str(job.path.resolve()),
        "data_fingerprint": fingerprint(job.examples),
        job.task.example.kind: len(job.examples),
        "recipe": recipe.described(),
        "seed": request.seed,
        "seconds": round(perf_counter() - started, 1),
    }
    return model


def _announce(job: Job, console: Console) -> None:
    what = f"{len(job.examples)} {job.request.lang} {job.task.example.kind} of {job.path}"
    console.print(f"{job.task.title}: {what}, encoder {job.request.model}, {job.device.type}", soft_wrap=True)


@contextmanager
def _progress(console: Console) -> Iterator[Report]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        row = bars.add_task("updates", total=None)
        yield lambda now: bars.update(row, completed=now.done, total=now.total)


def _table(trials: Sequence[search.Trial], task: tasks.Task[Any]) -> Table:
    """Return one row a candidate, the chosen one marked."""
    drawn = Table(title=f"{task.title}, dev {task.metric} (%)", title_justify="left", box=None, pad_edge=False)
    for name in ("learning rate", "batch", "epochs", "score", "seconds", ""):
        drawn.add_column(name, justify="right", no_wrap=True)
    for trial in trials:
        mark = "best" if trial == search.best(trials) else ""
        cells = (f"{trial.encoder_lr:g}", str(trial.batch), str(trial.epochs), f"{trial.score:.2f}")
        drawn.add_row(*cells, f"{trial.seconds:.0f}", mark)
    return drawn
