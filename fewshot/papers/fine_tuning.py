"""Fine-tune an encoder in several ways and score other languages: `layers` and `random_init`.

Differences between variants are taken within a seed; intervals are over the seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch

from fewshot import tasks
from fewshot.corpora.language_codes import language
from fewshot.curves.points import half_interval
from fewshot.encoders import freezing
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.encoders.random_init import reinitialise, untrained_layers
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.data_folders import AnnotatedExamples, DataFolders, data_or_sample
from fewshot.experiments.executors.place import training_bytes
from fewshot.papers.measurements import Measurement, Row, StudyRun, check_positive, fill, score_columns
from fewshot.training import presets
from fewshot.training.adapt import train_source
from fewshot.training.recipe import Recipe

SAME, DOMAIN, CROSS = RELATIONS = ("same language", "another domain", "another language")
"""Test sets from the collection of the training data, from another one of the same language, or of another language."""

NOTE = (
    "Each seed fine-tunes anew. A difference is taken within a seed, which gives both sides the same order of "
    "sentences; intervals are 95%, Student's t over the seeds, with the test sentences as given. These are drawn at "
    "random from large test sets; no training looks at a score."
)


@dataclass(frozen=True, slots=True)
class Variant:
    """A method of fine-tuning, see `Recipe`, and the layers to re-initialise first; 1 is the lowest."""

    name: str
    method: str
    layers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Test:
    """A test set, and its relation to the training data: `SAME`, `DOMAIN` or `CROSS`."""

    lang: str
    relation: str
    examples: AnnotatedExamples


@dataclass(frozen=True, slots=True)
class TransferSetting:
    """A task and a source language; the task has the labels of the training examples."""

    task: tasks.Task[Any]
    source: str
    train: AnnotatedExamples
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class FineTuningStudy:
    """The encoder, its fine-tunings, and how many updates and seeds each has."""

    encoder: Encoder
    transfers: tuple[TransferSetting, ...]
    updates: int
    seeds: int
    run: StudyRun

    @property
    def depth(self) -> int:
        """Number of layers of the encoder."""
        return len(freezing.layers(self.encoder.module))


def prepare(  # noqa: PLR0913
    names: Sequence[str],
    sources: Sequence[str],
    langs: Sequence[str],
    data: Sequence[Path] | None,
    model: str,
    run: StudyRun,
    *,
    sentences: int,
    tests: int,
    updates: int,
    seeds: int,
) -> FineTuningStudy:
    """Find the training and test sets of tasks, for each source language.

    Args:
        langs: languages to score; each source language is scored for the other ones too.
        data: folders of annotated data, see `DataFolders`; None for the embedded sample.
        sentences: maximum number of training examples.
        tests: maximum number of examples of a test set; a random draw of more.

    Raises:
        FewshotError: when there is no data for any task, or a test set has labels that the training set lacks.
    """
    check_positive({"--updates": updates, "--seeds": seeds, "--sentences": sentences, "--test-sentences": tests})
    encoder, data = load_encoder(model), data_or_sample(data, names)
    if not sources:
        raise FewshotError("--source takes one or more languages, e.g. en")
    known = list(dict.fromkeys([*sources, *langs]))
    folders = DataFolders(data, known, run.warn)
    transfers = []
    for task, source in product([tasks.get(name) for name in names], sources):
        train = folders.find_train(task, source, sentences, True)
        if train := train or folders.find_train(task, source, sentences, False):
            fitted = task.with_labels(task.choices).fitted(train.examples)  # test sets may have more labels than train
            test_sets = tuple(_test_sets(fitted, source, train, known, folders, tests))
            transfers.append(TransferSetting(fitted, source, train, test_sets))
        else:
            run.warn(f"{task.name} is left out: no training file in {source}")
    tested = [test for transfer in transfers for test in transfer.tests]
    for lang in langs:
        if transfers and lang not in {test.lang for test in tested}:
            run.warn(f"no task has a test set in {lang}")
    if not any(test.relation == CROSS for test in tested):
        places = ", ".join(map(str, data))
        raise FewshotError(
            f"nothing to score: {', '.join(names)} need a training file in {', '.join(sources)} and a test file in "
            f"another language of {', '.join(known)} under {places}; give --data folders that hold folders such as "
            "en_ewt and ja_gsd"
        )
    return FineTuningStudy(encoder, tuple(transfers), updates, seeds, run)


def _test_sets(
    task: tasks.Task[Any], source: str, train: AnnotatedExamples, langs: Sequence[str], folders: DataFolders, most: int
) -> Iterator[Test]:
    for examples in folders.find_tests(task, source, train.folder, most):
        yield Test(source, SAME if examples.folder == train.folder else DOMAIN, examples)
    for lang in langs:
        if language(lang) != language(source):
            for examples in islice(folders.find_tests(task, lang, None, most), 1):
                yield Test(lang, CROSS, examples)


def recipe_of(study: FineTuningStudy, transfer: TransferSetting, variant: Variant) -> Recipe:
    """Return a recipe that trains all layers where the method names none: they are what is examined."""
    size = presets.encoder_size(study.encoder)
    whole = {"frozen": 0} if size == presets.SMALL and variant.method == "full" else {}
    return presets.source(transfer.task, size, variant.method, updates=study.updates, **whole)


def measure(
    study: FineTuningStudy, reference: Variant, variants: Sequence[Variant]
) -> tuple[pd.DataFrame, list[VariantComparison]]:
    """Run the fine-tunings whose scores the folder lacks, and compare the variants with a reference.

    Returns:
        A row for each test set: ``task, source, variant, seed, lang, relation, test`` (its folder), ``score`` in
        percent with its 95% bootstrap interval ``low, high``, and ``seconds`` of the fine-tuning and its evaluation;
        and a comparison for each task and source language.
    """
    cells = []
    for transfer, seed, variant in product(study.transfers, range(study.seeds), [reference, *variants]):
        recipe = recipe_of(study, transfer, variant)
        data = [transfer.train.fingerprint, *(test.examples.fingerprint for test in transfer.tests)]
        made_from = [study.encoder.fingerprint, list(transfer.task.labels), data, recipe.described(), variant.layers]
        names = {"task": transfer.task.name, "source": transfer.source, "variant": variant.name, "seed": seed}
        work = partial(_scores, study.encoder, transfer, variant, recipe, seed)
        cells.append(Measurement(names, [*made_from, study.run.place.device.type], work))
    table = fill(cells, study.run, training_bytes(study.encoder))
    comparisons = []
    for transfer in study.transfers:
        rows = table[(table.task == transfer.task.name) & (table.source == transfer.source)]
        comparisons.append(VariantComparison(transfer, rows, reference, variants, study.depth))
    return table, comparisons


def _scores(
    encoder: Encoder, transfer: TransferSetting, variant: Variant, recipe: Recipe, seed: int, device: torch.device
) -> list[Row]:
    started = perf_counter()
    start = reinitialise(encoder, variant.layers, seed) if variant.layers else encoder
    model = train_source(transfer.task, start, transfer.train.examples, recipe, seed, device)
    rows = []
    for test in transfer.tests:
        names = {"lang": test.lang, "relation": test.relation, "test": test.examples.folder.name}
        rows.append({**names, **score_columns(evaluate(model, test.examples.examples))})
    return [{**row, "seconds": round(perf_counter() - started, 1)} for row in rows]


class Mean(NamedTuple):
    """A mean and its 95% interval, Student's t."""

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        """Return ``1.2 [0.5, 1.9]``, without brackets where there is no interval; ``+`` signs the mean."""
        value, low, high = (round(number, 1) + 0.0 for number in self)  # no -0.0
        shown = f"{value:{spec}.1f}"
        return f"{shown} [{low:.1f}, {high:.1f}]" if self.high > self.low else shown


def mean(values: Sequence[float]) -> Mean:
    """Return the mean over seeds and its 95% interval; one value has no interval."""
    centre, half = float(np.mean(values)), half_interval(values)
    return Mean(centre, centre - half, centre + half)


def score(table: pd.DataFrame, variant: str) -> Mean:
    """Return the mean score of a variant over seeds and test sets."""
    return mean(_by_seed(table)[variant].tolist())


def difference(table: pd.DataFrame, variant: str, reference: str) -> Mean:
    """Return the mean lead of a variant over a reference variant, over seeds and test sets."""
    by_seed = _by_seed(table)
    return mean((by_seed[variant] - by_seed[reference]).tolist())


def _by_seed(table: pd.DataFrame) -> pd.DataFrame:
    return table.pivot_table(index="seed", columns="variant", values="score", aggfunc="mean")


@dataclass(frozen=True, slots=True)
class VariantComparison:
    """The variants of one task and source language, compared with a reference variant.

    ``table`` has the rows of `measure`, ``variants`` lacks the reference, ``depth`` is the number of layers.
    """

    transfer: TransferSetting
    table: pd.DataFrame
    reference: Variant
    variants: Sequence[Variant]
    depth: int

    @property
    def title(self) -> str:
        """The metric and the source language."""
        return f"{self.transfer.task.score_label}, trained on {self.transfer.source}"

    @property
    def by_relation(self) -> dict[str, pd.DataFrame]:
        """The rows of each relation that has test sets."""
        return {name: rows for name in RELATIONS if len(rows := self.table[self.table.relation == name])}

    def gain(self, rows: pd.DataFrame, variant: Variant) -> Mean:
        """Return the lead of a variant over the reference on some rows."""
        return difference(rows, variant.name, self.reference.name)


def error_bars(gains: Sequence[Mean]) -> dict[str, Any]:
    """Return the intervals of gains as error bars of plotly."""
    return {"type": "data", "array": [gain.high - gain.value for gain in gains], "thickness": 1}


def doubt(encoder: Encoder) -> str:
    """Return a warning for an encoder with layers that were never pretrained, else an empty text."""
    layers = untrained_layers(encoder)
    if not layers:
        return ""
    which = f"layer {layers[0]}" if len(layers) == 1 else f"layers {', '.join(map(str, layers))}"
    return (
        f" But no pretraining has ever moved {which} of {encoder.name}: what is kept or lost there are random weights, "
        "and nothing is learned of pretrained layers; take another encoder for that."
    )


def facts(study: FineTuningStudy, table: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return the facts of a report: fine-tunings and data."""
    data = {}
    for transfer in study.transfers:
        kind = transfer.task.example.kind
        name = f"{transfer.task.name}, trained on {transfer.source}"
        data[name] = f"{len(transfer.train.examples)} {kind} of {transfer.train.folder.name}"
        tests = (f"{test.examples.folder.name} ({len(test.examples.examples)})" for test in transfer.tests)
        data[f"{transfer.task.name}, scored"] = ", ".join(tests)
    cells = table.drop_duplicates(["task", "source", "variant", "seed"])
    runs = {
        "encoder": f"{study.encoder.name} ({study.encoder.fingerprint})",
        "fine-tunings": str(len(cells)),
        "updates of each": str(study.updates),
        "seeds": str(study.seeds),
        "device": str(study.run.place.device),
        "time": f"{cells.seconds.sum() / 60:.1f} minutes",
    }
    return {"Fine-tuning": runs, "Data": data}
