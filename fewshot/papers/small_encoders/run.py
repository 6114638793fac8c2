"""Carry out an analysis: pretrain its encoders and probe them, each result on disk before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from fewshot import tasks
from fewshot.corpora.types import Pair, Sentence
from fewshot.curves import results as results_file
from fewshot.curves.results import Result
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.plan import digest
from fewshot.papers.measuring.data_folders import Examples, Folders
from fewshot.papers.small_encoders.corpora import build
from fewshot.papers.small_encoders.design import Design, Pretraining, Row, base, shown
from fewshot.papers.small_encoders.probe_data import change
from fewshot.papers.small_encoders.scale import Scale
from fewshot.pretraining import corpus
from fewshot.pretraining.mlm import Step
from fewshot.pretraining.pretrain import pretrain
from fewshot.progress import Progress, Report
from fewshot.training import presets
from fewshot.training.adapt import train_source
from fewshot.training.model import Model
from fewshot.training.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Probe:
    """A score to be found, once for each seed.

    Args:
        pretraining: the encoder.
        task: the task.
        langs: trained on, scored on.
        train: examples to train on, before they are changed.
        test: examples to score, before they are changed.
        recipe: of the training.
        identity: of all that decides the number, beside the seed.
    """

    pretraining: Pretraining
    task: tasks.Task[Any]
    langs: tuple[str, str]
    train: Examples
    test: Examples
    recipe: Recipe
    identity: str

    def run(self, seed: int) -> str:
        """Return the identity of one repetition."""
        return digest([self.identity, seed])


Cell = tuple[Row, str, str]
"""A row, the language that is scored, the name of the task."""


@dataclass(frozen=True, slots=True)
class Work:
    """A design and what it works on.

    Args:
        design: what to do.
        scale: of encoders and probes.
        source: corpus folder.
        cells: what there is data for, in the order of the rows, with the probe that fills it.
        device: where to train.
    """

    design: Design
    scale: Scale
    source: Path
    cells: list[tuple[Cell, Probe]]
    device: torch.device


def prepare(
    design: Design,
    names: Sequence[str],
    scale: Scale,
    source: Path,
    data: Sequence[Path],
    device: torch.device,
    warn: Callable[[str], None],
) -> Work:
    """Find the data of every task for every row.

    Args:
        design: what to do.
        names: of the tasks that encoders are probed with, where there is data.
        scale: of encoders and probes.
        source: corpus folder.
        data: folders of annotated data, see `Folders`.
        device: where to train.
        warn: called with a line for data that is left out, and for languages that no task has data for.

    Raises:
        FewshotError: when there are no seeds, or data for no row at all.
    """
    if design.seeds < 1:
        raise FewshotError(f"seeds is {design.seeds}; it must be at least 1")
    probed = [tasks.get(name) for name in names]
    if bad := [task.name for task in probed if task.example not in (Sentence, Pair)]:
        raise FewshotError(f"encoders are not probed with {', '.join(bad)}; choose among pos, dep, ner and nli")
    folders = Folders(data, sorted({base(lang) for row in design.rows for lang in (row.train, *row.tests)}), warn)
    text = corpus.fingerprint(source)
    cells = []
    without: dict[str, None] = {}
    for row in design.rows:
        for test in row.tests:
            found = list(_probes(row, test, probed, scale, folders, [text, scale.sentences, device.type]))
            cells += found
            if not found:
                without[f"{base(row.train)} to {base(test)}"] = None
    if not cells:
        places = ", ".join(map(str, data))
        raise FewshotError(
            f"no annotated data for {', '.join(without)} under {places}; "
            "give --data folders that hold folders such as en_ewt and it_isdt, with train and test files"
        )
    for pair in without:
        warn(f"no task has data for {pair}; these rows are left out")
    return Work(design, scale, source, cells, device)


def _probes(
    row: Row,
    test: str,
    probed: Sequence[tasks.Task[Any]],
    scale: Scale,
    folders: Folders,
    identity: Sequence[Any],
) -> Iterator[tuple[Cell, Probe]]:
    hidden = row.pretraining.settings.hidden
    for task in probed:
        within = all(base(row.train) == base(lang) for lang in row.tests)
        train = folders.train(task, base(row.train), scale.probe_sentences, within)
        scored = folders.test(task, base(test), train.folder) if train else None
        if train and scored:
            recipe = presets.source(task, hidden, updates=scale.probe_updates)
            made_from = [*identity, row.pretraining.key, task.name, list(task.labels), row.train, test]
            whole = digest([*made_from, train.fingerprint, scored.fingerprint, recipe.described()])
            yield (row, test, task.name), Probe(row.pretraining, task, (row.train, test), train, scored, recipe, whole)


def execute(work: Work, folder: Path, report: Report, say: Callable[[str], None]) -> dict[str, Result]:
    """Do what the folder has no result of; a pretraining that was stopped goes on from its checkpoint.

    Args:
        work: design and data.
        folder: takes ``results.jsonl``, ``corpora`` and ``encoders``; made if need be.
        report: told often how far it is.
        say: called with a line for each result.

    Returns:
        Results by `Probe.run`.

    Raises:
        FewshotError: when the folder cannot be written, or another process works in it.
    """
    probes = {probe.identity: probe for _, probe in work.cells}
    order = list(dict.fromkeys(probe.pretraining.key for probe in probes.values()))
    todo = sorted(probes.values(), key=lambda probe: (order.index(probe.pretraining.key), _training(probe)))
    with results_file.writing(folder) as path:
        done = {result.run: result for result in results_file.read(path)}
        for seed in range(work.design.seeds):
            left = [probe for probe in todo if probe.run(seed) not in done]
            for key, of_encoder in groupby(left, key=lambda probe: probe.pretraining.key):
                ours = list(of_encoder)
                name = f"seed {seed + 1}/{work.design.seeds}, encoder {order.index(key) + 1}/{len(order)} "
                name += ours[0].pretraining.name
                encoder = _encoder(work, ours[0].pretraining, seed, folder, name, report, say)
                for _, alike in groupby(ours, key=_training):
                    for result in _score(list(alike), encoder, seed, work.device, report):
                        results_file.append(path, result)
                        done[result.run] = result
                        score = f"{result.score:.1f} [{result.low:.1f}, {result.high:.1f}]"
                        say(f"{name}: {result.task} {result.lang} {score}")
    return done


def _training(probe: Probe) -> tuple[str, str, str]:
    """Return what is equal for the probes of an encoder that are trained alike."""
    return probe.task.name, probe.langs[0], probe.train.fingerprint


def _encoder(
    work: Work,
    pretraining: Pretraining,
    seed: int,
    folder: Path,
    name: str,
    report: Report,
    say: Callable[[str], None],
) -> Encoder:
    """Pretrain an encoder, or find it finished."""
    text = build(work.source, pretraining.langs, work.scale.sentences, folder / "corpora", say)
    place = folder / "encoders" / digest([text.name, pretraining.key, seed])

    def step(step: Step) -> None:
        report(Progress(step.update, step.updates, f"{name}: loss {step.loss:.2f}"))

    def stage(text: str) -> None:
        report(Progress(0, 0, f"{name}: {text}"))

    pretrain(pretraining.seeded(seed), text, place, work.device, stage, step, say)
    return load_encoder(str(place))


def _score(
    probes: Sequence[Probe], encoder: Encoder, seed: int, device: torch.device, report: Report
) -> Iterator[Result]:
    """Train on what the probes have in common, and yield the result of each test set."""
    first = probes[0]
    done_to = first.pretraining.settings.transforms
    started = time.perf_counter()
    report(Progress(0, 0, f"probing {first.pretraining.name}: {first.task.title}, trained on {shown(first.langs[0])}"))
    train = [change(example, done_to.get(first.langs[0], [])) for example in first.train.examples]
    model = train_source(first.task, encoder, train, first.recipe, seed, device)
    for probe in probes:
        test = [change(example, done_to.get(probe.langs[1], [])) for example in probe.test.examples]
        yield _result(probe, model, train, test, seed, started)


def _result(probe: Probe, model: Model, train: Sequence[Any], test: Sequence[Any], seed: int, started: float) -> Result:
    """Score a test set; each seed counts as a draw of its own, so that intervals go over pretrainings."""
    evaluation = evaluate(model, test)
    return Result(
        run=probe.run(seed),
        task=probe.task.name,
        lang="-".join(map(shown, dict.fromkeys(probe.langs))),
        sampler="",
        k=0,
        shot_set=seed,
        seed=seed,
        method=probe.recipe.method,
        regime=str(probe.recipe.regime),
        model=probe.pretraining.name,
        data=f"{probe.train.folder}, {probe.test.folder}",
        metric=evaluation.metric,
        score=evaluation.score,
        low=evaluation.low,
        high=evaluation.high,
        metrics=evaluation.metrics,
        tokens=sum(example.length for example in train),
        units=probe.task.units(train),
        test_units=probe.task.units(test),
        minutes=0.0,
        dollars=0.0,
        seconds=time.perf_counter() - started,
        device=next(model.parameters()).device.type,
        shots=(),
    )
