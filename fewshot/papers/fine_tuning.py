"""An encoder fine-tuned on a source language in several ways, and scored on others: what `layers` and `random_init` do.

Differences between the ways are taken within a seed; intervals are over the seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.encoders.random_init import reinitialise, untrained_layers
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.data_folders import AnnotatedExamples, DataFolders, data_or_sample
from fewshot.experiments.executors.place import Place
from fewshot.experiments.machine import training_bytes
from fewshot.papers.measurements import Cell, Row, check_positive, fill, scored
from fewshot.progress import Report
from fewshot.training import presets
from fewshot.training.adapt import train_source
from fewshot.training.recipe import Recipe

SAME, DOMAIN, CROSS = "same language", "another domain", "another language"
"""What a test set is to the training data: from the same collection, of the same language only, or of neither."""

NOTE = (
    "Each seed fine-tunes anew. A difference is taken within a seed, which gives both sides the same order of "
    "sentences; intervals are 95%, Student's t over the seeds, with the test sentences as given. These are drawn at "
    "random from large test sets; no training looks at a score."
)


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to fine-tune an encoder.

    Args:
        name: in tables.
        method: of the recipe, see `Recipe`.
        layers: to re-initialise first, from 1, the lowest.
    """

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
class Transfer:
    """A task with the label space of its training examples, learned in one language.

    The test sets of that language come first.
    """

    task: tasks.Task[Any]
    source: str
    train: AnnotatedExamples
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class FineTuningStudy:
    """What is fine-tuned, on what, for how many updates, and how often."""

    encoder: Encoder
    transfers: tuple[Transfer, ...]
    updates: int
    seeds: int
    place: Place


def prepare(  # noqa: PLR0913
    names: Sequence[str],
    sources: Sequence[str],
    langs: Sequence[str],
    data: Sequence[Path] | None,
    model: str,
    place: Place,
    warn: Callable[[str], None],
    *,
    sentences: int,
    tests: int,
    updates: int,
    seeds: int,
) -> FineTuningStudy:
    """Return what is fine-tuned on what, see `find`; without data, on the embedded sample."""
    check_positive({"--updates": updates, "--seeds": seeds})
    encoder = load_encoder(model)
    transfers = find(names, sources, langs, data_or_sample(data, names), sentences, tests, warn)
    return FineTuningStudy(encoder, transfers, updates, seeds, place)


def find(
    names: Sequence[str],
    sources: Sequence[str],
    langs: Sequence[str],
    data: Sequence[Path],
    sentences: int,
    tests: int,
    warn: Callable[[str], None],
) -> tuple[Transfer, ...]:
    """Find the data of tasks and languages.

    Args:
        sources: languages to train on.
        langs: languages to score, beside the sources, each of which is scored for the others too.
        data: folders of annotated data, see `DataFolders`.
        sentences: most examples to train on.
        tests: most examples of each test set; of more, a random draw.
        warn: called with a line for what there is no data of.

    Raises:
        FewshotError: when there is no data for any task, or the labels of a test set are not those trained on.
    """
    check_positive({"--sentences": sentences, "--test-sentences": tests})
    if not sources:
        raise FewshotError("--source takes one or more languages, e.g. en")
    known = list(dict.fromkeys([*sources, *langs]))
    folders = DataFolders(data, known, warn)
    found = []
    for task, source in product([tasks.get(name) for name in names], sources):
        if train := folders.find_train(task, source, sentences, True) or folders.find_train(
            task, source, sentences, False
        ):
            fitted = task.with_labels(task.choices).fitted(train.examples)  # a test set may have one that train lacks
            found.append(Transfer(fitted, source, train, tuple(_tests(fitted, source, train, known, folders, tests))))
        else:
            warn(f"{task.name} is left out: no training file in {source}")
    for lang in langs:
        if found and not any(test.lang == lang for one in found for test in one.tests):
            warn(f"no task has a test set in {lang}")
    if not any(test.relation == CROSS for one in found for test in one.tests):
        places = ", ".join(map(str, data))
        raise FewshotError(
            f"nothing to score: {', '.join(names)} need a training file in {', '.join(sources)} and a test file in "
            f"another language of {', '.join(known)} under {places}; give --data folders that hold folders such as "
            "en_ewt and ja_gsd"
        )
    return tuple(found)


def _tests(
    task: tasks.Task[Any], source: str, train: AnnotatedExamples, langs: Sequence[str], folders: DataFolders, most: int
) -> Iterator[Test]:
    """Yield every test set of the source language, that of the training folder first, and one of each other one."""
    for own in folders.find_tests(task, source, train.folder, most):
        yield Test(source, SAME if own.folder == train.folder else DOMAIN, own)
    for lang in langs:
        if language(lang) != language(source):
            yield from (Test(lang, CROSS, other) for other in islice(folders.find_tests(task, lang, None, most), 1))


def measure(study: FineTuningStudy, variants: Sequence[Variant], folder: Path, report: Report) -> pd.DataFrame:
    """Fine-tune what the folder has no scores of.

    Returns:
        A line a test set: ``task, source, variant, seed, lang, relation, test`` (its folder), ``score`` in percent with
        its bootstrap interval ``low, high`` over test examples, and ``seconds`` of the fine-tuning and all its scores.
    """
    cells = []
    for transfer, seed, variant in product(study.transfers, range(study.seeds), variants):
        recipe = presets.source(
            transfer.task, presets.encoder_size(study.encoder), variant.method, updates=study.updates
        )
        data = [transfer.train.fingerprint, *(test.examples.fingerprint for test in transfer.tests)]
        made_from = [study.encoder.fingerprint, list(transfer.task.labels), data, recipe.described(), variant.layers]
        names = {"task": transfer.task.name, "source": transfer.source, "variant": variant.name, "seed": seed}
        work = partial(_scores, study.encoder, transfer, variant, recipe, seed)
        cells.append(Cell(names, [*made_from, study.place.device.type], work))
    return fill(cells, folder, study.place, report, training_bytes(study.encoder))


def _scores(
    encoder: Encoder, transfer: Transfer, variant: Variant, recipe: Recipe, seed: int, device: torch.device
) -> list[Row]:
    started = perf_counter()
    begun = reinitialise(encoder, variant.layers, seed) if variant.layers else encoder
    model = train_source(transfer.task, begun, transfer.train.examples, recipe, seed, device)
    rows = []
    for test in transfer.tests:
        names = {"lang": test.lang, "relation": test.relation, "test": test.examples.folder.name}
        rows.append({**names, **scored(evaluate(model, test.examples.examples))})
    return [{**row, "seconds": round(perf_counter() - started, 1)} for row in rows]


class Mean(NamedTuple):
    """A mean and its 95% interval, Student's t."""

    value: float
    low: float
    high: float

    def __format__(self, spec: str) -> str:
        """Return ``1.2 [0.5, 1.9]``; ``+`` signs the mean, and without an interval there are no brackets."""
        value, low, high = (round(number, 1) + 0.0 for number in self)  # no -0.0
        shown = f"{value:{spec}.1f}"
        return f"{shown} [{low:.1f}, {high:.1f}]" if self.high > self.low else shown


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of the values of the seeds and its interval; of one value no interval."""
    centre, half = float(np.mean(values)), half_interval(values)
    return Mean(centre, centre - half, centre + half)


def score(table: pd.DataFrame, variant: str) -> Mean:
    """Return the mean score of a variant over the test sets of a table, with an interval over seeds."""
    return mean(_by_seed(table)[variant].tolist())


def difference(table: pd.DataFrame, variant: str, reference: str) -> Mean:
    """Return by how much a variant is ahead of another one, in the mean over the test sets of a table."""
    by_seed = _by_seed(table)
    return mean((by_seed[variant] - by_seed[reference]).tolist())


def _by_seed(table: pd.DataFrame) -> pd.DataFrame:
    return table.pivot_table(index="seed", columns="variant", values="score", aggfunc="mean")


def lines_of(table: pd.DataFrame, transfer: Transfer) -> pd.DataFrame:
    """Return the lines of `measure` that are of one task and source language."""
    return table[(table.task == transfer.task.name) & (table.source == transfer.source)]


def doubts(encoder: Encoder) -> list[str]:
    """Return what makes differences between layers meaningless, if anything does."""
    layers = untrained_layers(encoder)
    if not layers:
        return []
    which = f"layer {layers[0]}" if len(layers) == 1 else f"layers {', '.join(map(str, layers))}"
    return [
        f"But no pretraining has ever moved {which} of {encoder.name}: what is kept or lost there are random "
        "weights, and nothing is learned of pretrained layers; take another encoder for that."
    ]


def facts(study: FineTuningStudy, table: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Return what was run on what, for a report."""
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
        "device": str(study.place.device),
        "time": f"{cells.seconds.sum() / 60:.1f} minutes",
    }
    return {"Fine-tuning": runs, "Data": data}
