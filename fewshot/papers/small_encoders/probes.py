"""The probes behind the cells of the tables of a design, and their scores: each is on disk before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from fewshot import tasks
from fewshot.corpora.types import Pair, Sentence
from fewshot.curves.results import Result, append_result, lock_results, read_results
from fewshot.encoders.load import load_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.data_folders import AnnotatedExamples, DataFolders
from fewshot.experiments.executors.place import Place
from fewshot.experiments.jobs import Job, run_missing_jobs
from fewshot.experiments.machine import PROCESS_BYTES, WEIGHT_BYTES
from fewshot.experiments.plan import digest
from fewshot.papers.measurements import check_positive, with_interval
from fewshot.papers.small_encoders.corpora import build, change
from fewshot.papers.small_encoders.design import Design, Pretraining, Scale, TableRow, base, shown, weights
from fewshot.pretraining.config import PretrainConfig
from fewshot.pretraining.corpus import fingerprint
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
        langs: trained on, scored on.
        train: examples to train on, before they are changed for Fake-English; those of ``test`` likewise.
        identity: of all that decides the number, beside the seed.
    """

    pretraining: Pretraining
    task: tasks.Task[Any]
    langs: tuple[str, str]
    train: AnnotatedExamples
    test: AnnotatedExamples
    recipe: Recipe
    identity: str

    def run(self, seed: int) -> str:
        """Return the identity of one repetition."""
        return digest([self.identity, seed])


TableCell = tuple[TableRow, str, str]
"""A row, the language that is scored, the name of the task."""


@dataclass(frozen=True, slots=True)
class Work:
    """A design and what it works on.

    Args:
        source: corpus folder.
        cells: what there is data for, in the order of the rows, with the probe that fills it.
    """

    design: Design
    scale: Scale
    source: Path
    cells: list[tuple[TableCell, Probe]]
    place: Place


def prepare(
    design: Design,
    names: Sequence[str],
    scale: Scale,
    source: Path,
    data: Sequence[Path],
    place: Place,
    warn: Callable[[str], None],
) -> Work:
    """Find the data of every task for every row.

    Args:
        names: of the tasks that encoders are probed with, where there is data.
        source: corpus folder.
        data: folders of annotated data, see `DataFolders`.

    Raises:
        FewshotError: when there are no seeds, or data for no row at all.
    """
    check_positive({"seeds": design.seeds})
    probed = [tasks.get(name) for name in names]
    if bad := [task.name for task in probed if task.example not in (Sentence, Pair)]:
        raise FewshotError(f"encoders are not probed with {', '.join(bad)}; choose among pos, dep, ner and nli")
    folders = DataFolders(data, sorted({base(lang) for row in design.rows for lang in (row.train, *row.tests)}), warn)
    text = fingerprint(source)
    cells = []
    without: dict[str, None] = {}
    for row in design.rows:
        for test in row.tests:
            found = list(_probes(row, test, probed, scale, folders, [text, scale.sentences, place.device.type]))
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
    return Work(design, scale, source, cells, place)


def _probes(
    row: TableRow,
    test: str,
    probed: Sequence[tasks.Task[Any]],
    scale: Scale,
    folders: DataFolders,
    identity: Sequence[Any],
) -> Iterator[tuple[TableCell, Probe]]:
    for task in probed:
        within = all(base(row.train) == base(lang) for lang in row.tests)
        train = folders.find_train(task, base(row.train), scale.probe_sentences, within)
        scored = folders.find_test(task, base(test), train.folder) if train else None
        if train and scored:
            recipe = presets.source(task, presets.NEW, updates=scale.probe_updates)
            made_from = [*identity, row.pretraining.key, task.name, list(task.labels), row.train, test]
            whole = digest([*made_from, train.fingerprint, scored.fingerprint, recipe.described()])
            yield (row, test, task.name), Probe(row.pretraining, task, (row.train, test), train, scored, recipe, whole)


def execute(work: Work, folder: Path, report: Report, say: Callable[[str], None]) -> dict[str, Result]:
    """Do what the folder has no result of, and return all results by `Probe.run`.

    All encoders are pretrained first, then all are probed, several at once where the place of the work has it; a
    pretraining that was stopped goes on from its checkpoint. The folder takes ``results.jsonl``, ``corpora`` and
    ``encoders``.

    Raises:
        FewshotError: when the folder cannot be written, or another process works in it.
    """
    largest = max((weights(probe.pretraining.settings) for _, probe in work.cells), default=0)
    process_bytes = PROCESS_BYTES + WEIGHT_BYTES * largest
    with lock_results(folder) as path:
        done = {result.run: result for result in read_results(path)}

        def keep(job: Job[list[Result]], results: list[Result]) -> None:
            for result in results:
                append_result(path, result)
                done[result.run] = result
                say(f"{job.name}: {result.lang} {with_interval(result.score, result.low, result.high)}")

        encoders, trainings = _left(work, folder, done, say)
        run_missing_jobs(trainings, {}, keep, work.place, report, process_bytes, first=encoders)
    return done


def _left(
    work: Work, folder: Path, done: Container[str], say: Callable[[str], None]
) -> tuple[list[Job[None]], list[Job[list[Result]]]]:
    """Return the encoders that are to be probed still, whose corpora are written, and their trainings."""
    probes = {probe.identity: probe for _, probe in work.cells}
    order = list(dict.fromkeys(probe.pretraining.key for probe in probes.values()))
    todo = sorted(probes.values(), key=lambda probe: (order.index(probe.pretraining.key), _training(probe)))
    updates = max([1, *(probe.pretraining.settings.updates for _, probe in work.cells)])
    encoders: list[Job[None]] = []
    trainings: list[Job[list[Result]]] = []
    for seed in range(work.design.seeds):
        left = [probe for probe in todo if probe.run(seed) not in done]
        for key, of_encoder in groupby(left, key=lambda probe: probe.pretraining.key):
            ours = list(of_encoder)
            pretraining = ours[0].pretraining
            number = f"seed {seed + 1}/{work.design.seeds}, encoder {order.index(key) + 1}/{len(order)}"
            name = f"{number} {pretraining.name}"
            text = build(work.source, pretraining.langs, work.scale.sentences, folder / "corpora", say)
            place = folder / "encoders" / digest([text.name, key, seed])
            encoders.append(Job(name, name, partial(_pretrain, pretraining.seeded(seed), text, place), updates))
            for (task, lang, _), alike in groupby(ours, key=_training):
                same = tuple(alike)
                which = f"{name}: {task}, trained on {shown(lang)} of {same[0].train.folder}"
                trainings.append(Job(which, which, partial(_probe, same, place, seed), work.scale.probe_updates))
    return encoders, trainings


def _training(probe: Probe) -> tuple[str, str, str]:
    """Return what is equal for the probes of an encoder that are trained alike."""
    return probe.task.name, probe.langs[0], probe.train.fingerprint


def _pretrain(settings: PretrainConfig, text: Path, place: Path, device: torch.device, report: Report) -> None:
    """Pretrain an encoder, unless it is finished."""

    def tell(now: Progress) -> None:
        if now.total:  # else it is the name of a stage
            report(Progress(now.done, now.total, loss=now.loss))

    pretrain(settings, text, place, device, tell, lambda line: None)


def _probe(probes: Sequence[Probe], place: Path, seed: int, device: torch.device, report: Report) -> list[Result]:
    """Train on what probes have in common, and score each of their test sets."""
    first = probes[0]
    done_to = first.pretraining.settings.transforms
    started = time.perf_counter()
    train = [change(example, done_to.get(first.langs[0], [])) for example in first.train.examples]
    model = train_source(first.task, load_encoder(str(place)), train, first.recipe, seed, device, progress=report)
    tests = [[change(example, done_to.get(probe.langs[1], [])) for example in probe.test.examples] for probe in probes]
    return [_result(probe, model, train, test, seed, started) for probe, test in zip(probes, tests, strict=True)]


def _result(probe: Probe, model: Model, train: Sequence[Any], test: Sequence[Any], seed: int, started: float) -> Result:
    """Score a test set; each seed counts as a draw of its own, so that intervals go over pretrainings."""
    evaluation = evaluate(model, test, known=model.task)
    return Result(
        run=probe.run(seed),
        task=probe.task.name,
        lang="-".join(map(shown, dict.fromkeys(probe.langs))),
        sampler="",
        k=0,
        shot_set=seed,
        seed=seed,
        method=probe.recipe.method,
        regime=probe.recipe.regime,
        model=probe.pretraining.name,
        data=f"{probe.train.folder}, {probe.test.folder}",
        tokens=sum(example.length for example in train),
        units=probe.task.units(train),
        test_units=probe.task.units(test),
        minutes=0.0,
        dollars=0.0,
        seconds=time.perf_counter() - started,
        device=next(model.parameters()).device.type,
        shots=(),
        **evaluation.columns,
    )
