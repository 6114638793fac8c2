"""An encoder fine-tuned on a source language in several ways, and scored on others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd
import torch

from fewshot import tasks
from fewshot.corpora.language_codes import language
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.encoders.random_init import reinitialise
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.data_folders import Examples, Folders, data_or_sample
from fewshot.experiments.executors.place import Place
from fewshot.experiments.machine import training_bytes
from fewshot.papers.measuring.measurements import Cell, Row, fill
from fewshot.progress import Report
from fewshot.training import presets
from fewshot.training.adapt import train_source
from fewshot.training.recipe import Recipe

SAME, DOMAIN, CROSS = "same language", "another domain", "another language"
"""What a test set is to the training data: from the same collection, of the same language only, or of neither."""


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
    """What is scored.

    Args:
        lang: of the examples.
        relation: to the training data: `SAME`, `DOMAIN` or `CROSS`.
        examples: annotated.
    """

    lang: str
    relation: str
    examples: Examples


@dataclass(frozen=True, slots=True)
class Transfer:
    """A task that is learned in one language.

    Args:
        task: with the label space of the training examples.
        source: the language.
        train: examples to train on.
        tests: what is scored, the source language first.
    """

    task: tasks.Task[Any]
    source: str
    train: Examples
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class FineTuningStudy:
    """What is fine-tuned, on what, how often.

    Args:
        encoder: the pretrained encoder.
        transfers: tasks and source languages.
        updates: of one fine-tuning.
        seeds: number of fine-tunings of each variant.
        place: where to train.
    """

    encoder: Encoder
    transfers: tuple[Transfer, ...]
    updates: int
    seeds: int
    place: Place

    def __post_init__(self) -> None:
        for name in ("updates", "seeds"):
            if getattr(self, name) < 1:
                raise FewshotError(f"--{name} is {getattr(self, name)}; it must be at least 1")


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
    """Return what is fine-tuned on what, see `find` and `FineTuningStudy`; without data, on the embedded sample."""
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
        data: folders of annotated data, see `Folders`.
        sentences: most examples to train on.
        tests: most examples of each test set; of more, a random draw.
        warn: called with a line for what there is no data of.

    Raises:
        FewshotError: when there is no data for any task, or the labels of a test set are not those trained on.
    """
    for option, value in (("sentences", sentences), ("test-sentences", tests)):
        if value < 1:
            raise FewshotError(f"--{option} is {value}; it must be at least 1")
    if not sources:
        raise FewshotError("--source takes one or more languages, e.g. en")
    known = list(dict.fromkeys([*sources, *langs]))
    folders = Folders(data, known, warn)
    found = []
    for task, source in product([tasks.get(name) for name in names], sources):
        if train := folders.train(task, source, sentences, True) or folders.train(task, source, sentences, False):
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
    task: tasks.Task[Any], source: str, train: Examples, langs: Sequence[str], folders: Folders, most: int
) -> Iterator[Test]:
    """Yield every test set of the source language, that of the training folder first, and one of each other one."""
    for own in folders.tests(task, source, train.folder, most):
        yield Test(source, SAME if own.folder == train.folder else DOMAIN, own)
    for lang in langs:
        if language(lang) != language(source):
            yield from (Test(lang, CROSS, other) for other in islice(folders.tests(task, lang, None, most), 1))


def measure(study: FineTuningStudy, variants: Sequence[Variant], folder: Path, report: Report) -> pd.DataFrame:
    """Fine-tune what the folder has no scores of.

    Returns:
        A line a test set: ``task, source, variant, seed, lang, relation, test`` (its folder), ``score`` in percent with
        its bootstrap interval ``low, high`` over test examples, and ``seconds`` of the fine-tuning and all its scores.
    """
    cells = [
        Cell(
            {"task": transfer.task.name, "source": transfer.source, "variant": variant.name, "seed": seed},
            _identity(study, transfer, variant),
            partial(_scores, study.encoder, transfer, variant, _recipe(study, transfer, variant), seed),
        )
        for transfer in study.transfers
        for seed in range(study.seeds)
        for variant in variants
    ]
    return fill(cells, folder, study.place, report, training_bytes(study.encoder))


def _recipe(study: FineTuningStudy, transfer: Transfer, variant: Variant) -> Recipe:
    return presets.source(transfer.task, presets.kind(study.encoder), variant.method, updates=study.updates)


def _identity(study: FineTuningStudy, transfer: Transfer, variant: Variant) -> list[Any]:
    data = [transfer.train.fingerprint, *(test.examples.fingerprint for test in transfer.tests)]
    recipe = _recipe(study, transfer, variant).described()
    device = study.place.device.type
    return [study.encoder.fingerprint, list(transfer.task.labels), data, recipe, variant.layers, device]


def _scores(
    encoder: Encoder, transfer: Transfer, variant: Variant, recipe: Recipe, seed: int, device: torch.device
) -> list[Row]:
    started = perf_counter()
    begun = reinitialise(encoder, variant.layers, seed) if variant.layers else encoder
    model = train_source(transfer.task, begun, transfer.train.examples, recipe, seed, device)
    rows = []
    for test in transfer.tests:
        found = evaluate(model, test.examples.examples)
        names = {"lang": test.lang, "relation": test.relation, "test": test.examples.folder.name}
        rows.append({**names, "score": found.score, "low": found.low, "high": found.high})
    return [{**row, "seconds": round(perf_counter() - started, 1)} for row in rows]
