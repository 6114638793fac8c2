"""The probes of the encoders of a design; each score is saved before the next probe begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
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
from fewshot.experiments.executors.place import PROCESS_BYTES, WEIGHT_BYTES, Place
from fewshot.experiments.jobs import StudyJob, run_missing_jobs
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
    """A training and a test set, scored once for each seed.

    Args:
        langs: training language, test language.
        train: training examples, before their transforms.
        test: test examples, before their transforms.
        identity: digest of what decides the score, apart from the seed.
    """

    pretraining: Pretraining
    task: tasks.Task[Any]
    langs: tuple[str, str]
    train: AnnotatedExamples
    test: AnnotatedExamples
    recipe: Recipe
    identity: str

    def run(self, seed: int) -> str:
        """Return the identity of the result of one seed."""
        return digest([self.identity, seed])


TableCell = tuple[TableRow, str, str]
"""A row, the tested language, the name of the task."""


@dataclass(frozen=True, slots=True)
class Work:
    """A design, and its cells that have data, with their probes; ``source`` is the corpus folder."""

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
    """Find the data of every task and row.

    Raises:
        FewshotError: when there are no seeds, or no row has data.
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
            filled = list(_probes(row, test, probed, scale, folders, [text, scale.sentences, place.device.type]))
            cells += filled
            if not filled:
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
    """Pretrain and probe what has no result in the folder, and return all results by `Probe.run`.

    All encoders are pretrained before all are probed; a stopped pretraining continues from its checkpoint. The folder
    takes ``results.jsonl``, ``corpora`` and ``encoders``.

    Raises:
        FewshotError: when the folder cannot be written, or another process works in it.
    """
    largest = max((weights(probe.pretraining.settings) for _, probe in work.cells), default=0)
    process_bytes = PROCESS_BYTES + WEIGHT_BYTES * largest
    with lock_results(folder) as path:
        done = {result.run: result for result in read_results(path)}

        def save(job: StudyJob[list[Result]], results: list[Result]) -> None:
            for result in results:
                append_result(path, result)
                done[result.run] = result
                say(f"{job.name}: {result.lang} {with_interval(result.score, result.low, result.high)}")

        encoders, trainings = _missing_jobs(work, folder, done, say)
        run_missing_jobs(trainings, {}, save, work.place, report, process_bytes, first=encoders)
    return done


def _missing_jobs(
    work: Work, folder: Path, done: Container[str], say: Callable[[str], None]
) -> tuple[list[StudyJob[None]], list[StudyJob[list[Result]]]]:
    """Return the missing pretrainings and trainings of probes, and write the corpora."""
    probes = {probe.identity: probe for _, probe in work.cells}
    order = list(dict.fromkeys(probe.pretraining.key for probe in probes.values()))
    todo = sorted(probes.values(), key=lambda probe: (order.index(probe.pretraining.key), _training_key(probe)))
    updates = max([1, *(probe.pretraining.settings.updates for _, probe in work.cells)])
    encoders: list[StudyJob[None]] = []
    trainings: list[StudyJob[list[Result]]] = []
    for seed in range(work.design.seeds):
        missing = [probe for probe in todo if probe.run(seed) not in done]
        for key, of_encoder in groupby(missing, key=lambda probe: probe.pretraining.key):
            same_encoder = list(of_encoder)
            pretraining = same_encoder[0].pretraining
            number = f"seed {seed + 1}/{work.design.seeds}, encoder {order.index(key) + 1}/{len(order)}"
            name = f"{number} {pretraining.name}"
            text = build(work.source, pretraining.langs, work.scale.sentences, folder / "corpora", say)
            place = folder / "encoders" / digest([text.name, key, seed])
            settings = replace(pretraining.settings, seed=seed)
            encoders.append(StudyJob(name, name, partial(_pretrain, settings, text, place), updates))
            for (task, lang, _), of_training in groupby(same_encoder, key=_training_key):
                same = tuple(of_training)
                training = f"{name}: {task}, trained on {shown(lang)} of {same[0].train.folder}"
                trainings.append(
                    StudyJob(training, training, partial(_probe, same, place, seed), work.scale.probe_updates)
                )
    return encoders, trainings


def _training_key(probe: Probe) -> tuple[str, str, str]:
    return probe.task.name, probe.langs[0], probe.train.fingerprint


def _pretrain(settings: PretrainConfig, text: Path, place: Path, device: torch.device, report: Report) -> None:
    def report_updates(progress: Progress) -> None:
        if progress.total:  # without a total it is the name of a stage
            report(Progress(progress.done, progress.total, loss=progress.loss))

    pretrain(settings, text, place, device, report_updates, lambda line: None)


def _probe(probes: Sequence[Probe], place: Path, seed: int, device: torch.device, report: Report) -> list[Result]:
    first = probes[0]
    transforms = first.pretraining.settings.transforms
    started = time.perf_counter()
    train = [change(example, transforms.get(first.langs[0], [])) for example in first.train.examples]
    model = train_source(first.task, load_encoder(str(place)), train, first.recipe, seed, device, progress=report)
    tests = [
        [change(example, transforms.get(probe.langs[1], [])) for example in probe.test.examples] for probe in probes
    ]
    return [_result(probe, model, train, test, seed, started) for probe, test in zip(probes, tests, strict=True)]


def _result(probe: Probe, model: Model, train: Sequence[Any], test: Sequence[Any], seed: int, started: float) -> Result:
    """Score a test set; each seed counts as a draw, so that intervals cover the pretrainings."""
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
