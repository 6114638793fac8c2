"""Gains from an encoder in languages that it has seen little of (Wu & Dredze 2020, sections 4, 5.1).

The encoder and a tagger with no pretraining are trained within each language on several numbers of sentences; linear
models relate the scores to training size, training vocabulary and WikiSize.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import torch

from fewshot import tasks
from fewshot.corpora.load import fingerprint
from fewshot.corpora.pool import pool
from fewshot.corpora.types import Sentence
from fewshot.encoders.load import Encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.data_folders import AnnotatedExamples, DataFolders
from fewshot.experiments.executors.place import training_bytes
from fewshot.papers.measurements import Measurement, Row, StudyRun, check_positive, fill, score_columns
from fewshot.papers.resources import tagger
from fewshot.papers.resources.tagger import BASELINE
from fewshot.training import presets
from fewshot.training.adapt import train_source
from fewshot.training.recipe import Recipe
from fewshot.transfer import languages

METHOD = "freeze-0"
"""Trains all but the embeddings at every k; ``full`` would train more of the encoder as k grows."""

RATES = {presets.BASE: 2e-5, presets.SMALL: 1e-4, presets.NEW: 5e-4}
"""Learning rate of the encoder by its kind, for every task."""


@dataclass(frozen=True, slots=True)
class Study:
    """Tasks with one label per word, in languages that have a WikiSize.

    Args:
        ks: numbers of training sentences.
        seeds: draws of the training sentences, each with its own training.
        tested: maximum number of test sentences; a random draw of more.
    """

    encoder: Encoder
    names: Sequence[str]
    langs: Sequence[str]
    ks: Sequence[int]
    seeds: int
    updates: int
    tested: int
    run: StudyRun


def langs_with_wikisize(langs: Sequence[str]) -> Sequence[str]:
    """Return the languages, by default all that have a WikiSize; `FewshotError` where one has none."""
    if without := [lang for lang in langs if languages.wikisize(lang) is None]:
        raise FewshotError(f"no WikiSize of {', '.join(without)}: Wu & Dredze 2020 have none; leave it out of --langs")
    return langs or languages.with_wikisize()


def measure(study: Study, folders: DataFolders) -> pd.DataFrame:
    """Run the trainings whose scores the folder lacks.

    Returns:
        A row for each training: task, lang, wikisize, k, seed, model, score, low, high, vocabulary.

    Raises:
        FewshotError: when a number is below 1, a task does not label words, or there is no data at all.
    """
    check_positive({"k": min(study.ks, default=0), "seeds": study.seeds})
    check_positive({"updates": study.updates, "test sentences": study.tested})
    table = fill(_cells(study, folders), study.run, training_bytes(study.encoder))
    if not len(table):
        raise FewshotError(
            f"no {' or '.join(study.names)} data to train and test on in {', '.join(study.langs)}; "
            "give --data folders that hold folders such as wikiann_fi, with train and test files"
        )
    return table


def _cells(study: Study, folders: DataFolders) -> Iterator[Measurement]:
    for task in map(tasks.get, study.names):
        if task.nominal != "words":
            raise FewshotError(f"{task.name} has no label a word; choose pos or ner")
        for lang in study.langs:
            train = folders.find_train(task, lang, sys.maxsize, within=True)
            test = folders.find_test(task, lang, preferred=train.folder) if train else None
            if train and test:
                yield from _of_language(study, task, lang, train, test)


def _of_language(
    study: Study, task: tasks.Task[Any], lang: str, train: AnnotatedExamples, test: AnnotatedExamples
) -> Iterator[Measurement]:
    sentences: Sequence[Sentence] = ()
    with suppress(FewshotError):  # an empty pool is reported below
        sentences, _ = pool(train.examples, test.examples, shortest=0, longest=sys.maxsize)
    kind = presets.encoder_size(study.encoder)
    settings: dict[str, Any] = {"regime": "sequential", "head_lr": 1e-3, "balanced": False, "encoder_lr": RATES[kind]}
    recipe = presets.adaptation(task, kind, METHOD, updates=study.updates, **settings)
    tested = random.Random(0).sample(test.examples, min(study.tested, len(test.examples)))
    data = [fingerprint(sentences), test.fingerprint, len(tested), study.updates, study.run.place.device.type]
    for k in study.ks:
        if k > len(sentences):
            has = f"{train.folder} has {len(sentences)} sentences to train on that are not in the test set"
            study.run.warn(f"{has}; {task.name} in {lang} with k = {k} is left out")
            continue
        for seed in range(study.seeds):
            shots = random.Random(seed).sample(sentences, len(sentences))[:k]
            names = {"task": task.name, "lang": lang, "wikisize": languages.wikisize(lang), "k": k, "seed": seed}
            for encoder in (study.encoder, None):
                made_from = [encoder.fingerprint, recipe.described()] if encoder else tagger.identity()
                training = partial(_scores, task, encoder, recipe, study.updates, shots, tested, seed)
                model = encoder.name if encoder else BASELINE
                yield Measurement({**names, "model": model}, [made_from, *data], training)


def _scores(
    task: tasks.Task[Any],
    encoder: Encoder | None,
    recipe: Recipe,
    updates: int,
    shots: Sequence[Sentence],
    test: Sequence[Sentence],
    seed: int,
    device: torch.device,
) -> list[Row]:
    """Train the encoder, or without one the tagger, and score it."""
    if encoder:
        model = train_source(task, encoder, shots, recipe, seed, device)
    else:
        model = tagger.train(task, shots, updates, seed, device)
    words = {word for sentence in shots for word in sentence.words}
    return [{**score_columns(evaluate(model, test)), "vocabulary": len(words)}]
