"""``fewshot source``: train the source model of a task and keep it for later runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from fewshot import tasks
from fewshot.cli.common.base import (
    CHECKPOINT_HINT,
    Device,
    ModelName,
    Pooling,
    TaskName,
    app,
    command,
    console,
    drop_unset,
    warn_of_lang,
)
from fewshot.cli.common.progress import download_progress, progress_bar
from fewshot.errors import FewshotError
from fewshot.options import TRAINING

if TYPE_CHECKING:
    import torch

    from fewshot.checkpoint import Checkpointer
    from fewshot.corpora.types import Example
    from fewshot.encoders.load import Encoder
    from fewshot.evaluation import Evaluation
    from fewshot.experiments.search import Trial
    from fewshot.experiments.source_data import SourceCorpus
    from fewshot.progress import Report
    from fewshot.training.model import Model
    from fewshot.training.recipe import Recipe


@dataclass(frozen=True)
class SourceModelInputs:
    """Everything but the recipe that a source model is made from.

    Args:
        corpora: data of one language or several.
    """

    task: tasks.Task[Any]
    encoder: Encoder
    corpora: Sequence[SourceCorpus]
    seed: int
    device: torch.device

    @property
    def train(self) -> Sequence[Example]:
        """The examples of all training files."""
        from fewshot.training.mixture import join_corpora

        return join_corpora([corpus.train for corpus in self.corpora])

    @property
    def dev(self) -> Sequence[Example]:
        """The examples of all development files."""
        return [example for corpus in self.corpora for example in corpus.dev]

    def folder(self, recipe: Recipe) -> Path:
        """Return the default folder for the model of a recipe, named by all that the model is made from."""
        from fewshot.training import mixture, sources

        data = " ".join([*(corpus.lang for corpus in self.corpora), mixture.fingerprint(self.train)])
        return sources.folder(sources.user_dir(), self.task, self.encoder, data, recipe, self.seed)


@command(
    app,
    example="fewshot source --task pos --model xlm-roberta-base --data ud",
    panels={TRAINING: "method epochs updates search seed bits"},
    stopped=CHECKPOINT_HINT,
)
def source(  # noqa: PLR0913
    data: Annotated[
        list[str],
        typer.Option(help="Annotated data: a folder, file, ud or UD_English-EWT; one for each language of --lang."),
    ],
    task: TaskName = "pos",
    model: ModelName = "mini",
    lang: Annotated[str, typer.Option(help="Source language, or several with commas to mix them.")] = "en",
    method: Annotated[
        str, typer.Option(help="What is trained: full, lora, feature-based, freeze-N, or freeze-none.")
    ] = "full",
    pooling: Pooling = None,
    epochs: Annotated[
        int | None,
        typer.Option(help="Passes over the training data; at least 1,000 updates.", show_default="by task"),
    ] = None,
    updates: Annotated[int | None, typer.Option(help="Number of optimizer steps.", show_default="by --epochs")] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Try 12 combinations of learning rate, batch and epochs; keep the best on the development file.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of head, data order and dropout.")] = 0,
    device: Device = "auto",
    bits: Annotated[int, typer.Option(help="Bits of the change of each weight on disk: 4, 8 or 16.")] = 16,
    out: Annotated[Path | None, typer.Option(help="Folder of the model.", show_default="the user's cache")] = None,
) -> None:
    """Train the source model of a task, usually in English; later runs find it automatically."""
    from fewshot.encoders.load import load_encoder
    from fewshot.encoders.packed import check
    from fewshot.experiments.search import check_method
    from fewshot.training import presets
    from fewshot.training.adapt import resolve_device

    if search and {epochs, updates} != {None}:
        raise FewshotError("--search tries 3 and 4 epochs; leave out --epochs and --updates")
    if None not in (epochs, updates):
        raise FewshotError("--epochs and --updates both set the end of the training; give one of them")
    if search and bits < 16:
        raise FewshotError("--search keeps its models in 16 bits; leave out --bits")
    check(bits)
    presets.check_source_method(method)
    if search:
        check_method(method)
    screen, asked = console(), tasks.get(task)
    corpora = [_read(asked, code, path, search) for code, path in _locate_data(asked, lang, data, screen)]
    examples = [example for corpus in corpora for example in (*corpus.train, *corpus.dev)]
    fitted = asked.fitted(examples)
    tasks.check_gold(fitted, examples)
    made_from = SourceModelInputs(fitted, load_encoder(model), corpora, seed, resolve_device(device))
    changes = drop_unset(pooling=pooling, epochs=epochs, updates=updates)
    recipe = presets.source(fitted, presets.encoder_size(made_from.encoder), method, **changes)
    if search:
        _search(made_from, recipe, out, screen)
    else:
        _train(made_from, recipe, out, bits, screen)


def _locate_data(task: tasks.Task[Any], lang: str, data: Sequence[str], screen: Console) -> list[tuple[str, Path]]:
    """Return each source language with the path of its data, downloaded if necessary."""
    from fewshot.corpora.load import locate
    from fewshot.experiments.plan import parse_list

    langs = [warn_of_lang(code) for code in parse_list(lang)]
    names = list(data) * len(langs) if list(data) in (["ud"], ["sample"]) else list(data)
    if len(names) != len(langs):
        raise FewshotError(
            f"languages of --lang: {len(langs)}, --data: {len(names)}; give --data once per language, in order, or ud"
        )
    with download_progress(screen) as progress:
        return [
            (code, locate(code, name, task.example.kind, progress, task.data_hint))
            for code, name in zip(langs, names, strict=True)
        ]


def _read(task: tasks.Task[Any], lang: str, path: Path, search: bool) -> SourceCorpus:
    from fewshot.corpora.load import find_split, read
    from fewshot.experiments.source_data import SourceCorpus, read_train_file

    kind = task.example.kind
    train = read_train_file(path, task)
    dev_file = find_split(path, "dev", kind) if path.is_dir() else None
    if search and dev_file is None:
        raise FewshotError(
            f"{path}: no development file, which --search needs; "
            f"give --data a folder with a train and a dev file of {kind}"
        )
    return SourceCorpus(lang, path, train, read(dev_file, lang, kind, task) if dev_file else [])


def _train(made_from: SourceModelInputs, recipe: Recipe, out: Path | None, bits: int, screen: Console) -> None:
    """Train a model unless it exists already, and score it on the development file."""
    from fewshot.checkpoint import Checkpointer
    from fewshot.curves import journal

    kept = made_from.folder(recipe)
    if bits < 16:
        kept = kept.with_name(f"{kept.name}-{bits}bit")
    folder = out or kept
    if _has_model(folder, kept.name):
        screen.print(f"kept already: {folder}", soft_wrap=True)
        return
    _announce(made_from, screen)
    with journal.lock_folder(folder):
        checkpointer = Checkpointer(folder, kept.name)
        with progress_bar(screen, "updates") as report:
            model = _trained(made_from, recipe, report, checkpointer)
        base = made_from.encoder if bits < 16 else None
        if base:
            model.round(base, bits)
        if made_from.dev:
            screen.print(f"dev: {_score(model, made_from.dev)}")
        model.provenance["key"] = kept.name
        model.save(folder, base, bits)
        checkpointer.remove()
    screen.print(f"kept: {folder}", soft_wrap=True)


def _has_model(folder: Path, key: str) -> bool:
    """Return whether a folder holds the model of a key, see `sources.folder`.

    Raises:
        FewshotError: when the folder holds another model.
    """
    from fewshot.training.description import read_description

    description = read_description(folder)
    if description and key in (folder.name, description.get("key")):
        return True
    if description or (folder / "config.json").is_file():
        raise FewshotError(f"{folder}: holds another model or encoder; give another --out, or delete the folder")
    return False


def _search(made_from: SourceModelInputs, recipe: Recipe, out: Path | None, screen: Console) -> None:
    """Train a model of each candidate, and keep the one with the best score on the development file."""
    from fewshot.checkpoint import Checkpointer
    from fewshot.corpora.load import fingerprint
    from fewshot.experiments import search
    from fewshot.experiments.plan import digest
    from fewshot.training import mixture, presets, sources

    task, encoder = made_from.task, made_from.encoder
    identity = {
        "task": task.name,
        "labels": list(task.labels),
        "encoder": encoder.fingerprint,
        "data": mixture.fingerprint(made_from.train),
        "dev": fingerprint(made_from.dev),
        "seed": made_from.seed,
        "lang": ",".join(corpus.lang for corpus in made_from.corpora),
        "device": made_from.device.type,
    }
    name = f"{task.name}-{Path(encoder.name).name}-{digest([identity, recipe.described()])[:12]}"
    folder = out or sources.user_dir() / name
    if not (folder / search.SCORES_FILE).is_file():
        _has_model(folder, name)  # raises for another model
    _announce(made_from, screen)
    if warning := search.small_data_warning(len(made_from.train), len(made_from.dev), task.example.kind):
        screen.print(f"warning: {warning}", soft_wrap=True)
    with progress_bar(screen, "updates") as report:

        def train(candidate: Recipe) -> tuple[Model, float, float]:
            checkpointer = Checkpointer(folder, made_from.folder(candidate).name)
            model = _trained(made_from, candidate, report, checkpointer)
            evaluation = _score(model, made_from.dev)
            settings = f"rate {candidate.encoder_lr:g}, batch {candidate.batch}, {candidate.epochs} epochs"
            screen.print(f"{settings}: dev {evaluation}")
            checkpointer.remove()
            return model, evaluation.score, round(checkpointer.seconds, 1)

        trials = search.search(search.make_candidates(recipe, presets.encoder_size(encoder)), train, identity, folder)
    screen.print(_table(trials, search.best_trial(trials), task))
    screen.print(f"kept: {folder}", soft_wrap=True)


def _trained(made_from: SourceModelInputs, recipe: Recipe, report: Report, checkpointer: Checkpointer) -> Model:
    from fewshot.experiments.source_data import provenance
    from fewshot.training.adapt import train_source

    task, train, seed = made_from.task, made_from.train, made_from.seed
    model = train_source(task, made_from.encoder, train, recipe, seed, made_from.device, report, checkpointer)
    seconds = round(checkpointer.seconds, 1)
    model.provenance = {**provenance(made_from.corpora), **model.provenance, "seconds": seconds}
    return model


def _score(model: Model, dev: Sequence[Example]) -> Evaluation:
    """Score a model on the development file, and store the metrics in its provenance."""
    from fewshot.evaluation import evaluate

    evaluation = evaluate(model, dev)
    model.provenance |= {"dev": dict(evaluation.metrics)}
    return evaluation


def _announce(made_from: SourceModelInputs, screen: Console) -> None:
    task = made_from.task
    kind = task.example.kind
    data = ", ".join(f"{len(corpus.train)} {corpus.lang} {kind} of {corpus.path}" for corpus in made_from.corpora)
    screen.print(f"{task.title}: {data}, encoder {made_from.encoder.name}, {made_from.device.type}", soft_wrap=True)


def _table(trials: Sequence[Trial], best: Trial, task: tasks.Task[Any]) -> Table:
    table = Table(title=f"{task.title}, dev {task.metric} (%)", title_justify="left", box=None, pad_edge=False)
    for name in ("learning rate", "batch", "epochs", "score", "seconds", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for trial in trials:
        cells = (f"{trial.encoder_lr:g}", str(trial.batch), str(trial.epochs), f"{trial.score:.2f}")
        table.add_row(*cells, f"{trial.seconds:.0f}", "best" if trial == best else "")
    return table
