"""Similarity of translations by layer, and the gaps between languages (Muller et al. 2021)."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from fewshot import tasks
from fewshot.corpora.types import Example
from fewshot.curves.results import Result
from fewshot.encoders.load import Encoder, load_encoder, untrained
from fewshot.errors import FewshotError
from fewshot.experiments.data_folders import AnnotatedExamples, DataFolders
from fewshot.experiments.executors.place import training_bytes
from fewshot.experiments.plan import digest
from fewshot.papers.alignment.page import FINE_TUNED, PRETRAINED, UNTRAINED, page
from fewshot.papers.measurements import Measurement, Row, StudyRun, fill
from fewshot.papers.statistics import debiased_cka, linear_cka
from fewshot.reports.page import Page
from fewshot.source_choice.criteria import vectors
from fewshot.tasks import Task
from fewshot.training import sources
from fewshot.training.model import load_model
from fewshot.transfer.scoring import score_all, source_language, test_sets

MIN_TRANSLATIONS = 10
"""Translated sentences that a language needs."""

Texts = Mapping[str, tuple[str, ...]]
"""The words of sentences by their ids."""


@dataclass(frozen=True)
class EncoderState:
    """An encoder as pretrained, as fine-tuned on a task, or untrained with a seed.

    ``key`` is equal exactly for the same weights; ``place`` is the folder of the source model, if fine-tuned.
    """

    name: str
    task: str
    seed: int
    key: str
    place: Path | None = None

    def load(self, encoder: Encoder) -> Encoder:
        """Return the encoder in this state, given the pretrained one."""
        if self.place:
            return load_model(self.place, encoder).encoder
        return untrained(encoder, self.seed) if self.name == UNTRAINED else encoder


def analyse(
    names: Sequence[str],
    parallel: str,
    langs: Sequence[str],
    model: str,
    data: Sequence[Path],
    run: StudyRun,
    *,
    sentences: int,
    seeds: int,
) -> Page:
    """Measure the similarity of translations and the gaps between languages, and report their correlation.

    Args:
        names: tasks whose source models and gaps are measured.
        parallel: task whose data hold translations, as examples with the same id: the sentences of the PUD treebanks
            (``pos``) or of SIB-200 (``topic``). Ids that a reader made from the position in a file do not count.
        sentences: maximum for each language; 1,000 in the paper.
        seeds: number of untrained encoders.

    Raises:
        FewshotError: when there are no translations, a task has no source model, or the source language no test set.
    """
    if sentences < MIN_TRANSLATIONS or seeds < 1:
        raise FewshotError(f"--sentences must be at least {MIN_TRANSLATIONS} and --seeds at least 1")
    names = [tasks.get(name).name for name in names]
    encoder = load_encoder(model)
    source = source_language(names, encoder)
    langs = [lang for lang in langs if lang != source]
    folders = DataFolders(data, [source, *langs], run.warn)
    pairs = translations(folders, tasks.get(parallel), source, langs, sentences)
    if pairs and (missing := [lang for lang in langs if lang not in pairs]):
        run.warn(f"left out, with no translations of {source} sentences: {', '.join(missing)}")
    if not pairs:
        raise FewshotError(
            f"no folder of --data holds translations of {source} {tasks.get(parallel).example.kind} in "
            f"{', '.join(langs)}, under the same ids; give PUD treebanks such as {source}_pud, or SIB-200 with "
            "--parallel topic"
        )
    wanted = test_sets(names, [source, *pairs], folders, mixed=False)
    scores = score_all(wanted, [encoder], run.place, run.folder, run.report)
    below = gaps(scores, source, run.warn)
    cells = _cells(Similarities(encoder, pairs), states(encoder, names, seeds), run.place.device)
    table = fill(cells, run, training_bytes(encoder))
    facts = {
        "Translations": {lang: f"{len(mine)} sentences" for lang, (mine, _) in pairs.items()},
        "Test sets": {f"{result.task} {result.lang}": result.data for result in scores},
        "Encoder": {"name": encoder.name, "device": run.place.device.type, "untrained encoders": str(seeds)},
    }
    return page(table, below, source, facts)


def translations(
    folders: DataFolders, task: Task[Any], source: str, langs: Sequence[str], most: int
) -> dict[str, tuple[Texts, Texts]]:
    """Return sentences of the source language and their translations, for each language with enough.

    When languages have several folders, the two folders whose test sets share most ids are read. At most ``most``
    sentences are drawn at random, equally for equal ids. An example of the task is one text.
    """
    pairs: dict[str, tuple[Texts, Texts]] = {}
    source_sets = list(folders.find_tests(task, source))
    for lang in langs:
        both = list(product(source_sets, folders.find_tests(task, lang)))
        if not both:
            continue
        best = max(both, key=lambda pair: len(_with_ids(pair[0].examples).keys() & _with_ids(pair[1].examples)))
        ours, theirs = _texts(folders, task, source, best[0]), _texts(folders, task, lang, best[1])
        ids = sorted(ours.keys() & theirs.keys())
        if len(ids) >= MIN_TRANSLATIONS:
            ids = sorted(random.Random(0).sample(ids, min(most, len(ids))))
            pairs[lang] = ({key: ours[key] for key in ids}, {key: theirs[key] for key in ids})
    return pairs


def _texts(folders: DataFolders, task: Task[Any], lang: str, test: AnnotatedExamples) -> Texts:
    train = folders.find_train(task, lang, sys.maxsize, within=True, only=test.folder)
    examples = _with_ids([*test.examples, *(train.examples if train else ())])
    return {key: tuple(task.inputs(example)[0].segments[0]) for key, example in examples.items()}


def _with_ids(examples: Sequence[Example]) -> dict[str, Example]:
    """Return examples by id, without those whose id a reader made: file stem and number."""
    return {
        example.id: example
        for example in examples
        if not re.fullmatch(rf"{re.escape(Path(example.where.rpartition(':')[0]).stem)}-\d+", example.id)
    }


def states(encoder: Encoder, names: Sequence[str], seeds: int) -> list[EncoderState]:
    """Return the encoder as pretrained, as fine-tuned on each task, and untrained with each seed."""
    key = encoder.fingerprint
    places = {name: sources.find(tasks.get(name), encoder) for name in names}
    return [
        EncoderState(PRETRAINED, "", 0, key),
        *(EncoderState(FINE_TUNED, name, 0, f"{key} {sources.fingerprint(at)}", at) for name, at in places.items()),
        *(EncoderState(UNTRAINED, "", seed, f"{key} {UNTRAINED}") for seed in range(seeds)),
    ]


@dataclass(frozen=True)
class Similarities:
    """Measures the similarity of the pairs of `translations` in a state of an encoder."""

    encoder: Encoder
    pairs: Mapping[str, tuple[Texts, Texts]]
    _loaded: dict[EncoderState, tuple[Encoder, Tensor]] = field(default_factory=dict, init=False, repr=False)

    def measure(self, state: EncoderState, lang: str, device: torch.device) -> list[Row]:
        """Return the similarity of the sentences of a language to those of the source language, by layer."""
        ours, theirs = self.pairs[lang]
        sources = list(dict.fromkeys(words for texts, _ in self.pairs.values() for words in texts.values()))
        if state not in self._loaded:
            self._loaded.clear()  # one state fits in memory
            encoder = state.load(self.encoder)
            self._loaded[state] = encoder, vectors(encoder, sources, device)
        encoder, source_vectors = self._loaded[state]
        places = {words: place for place, words in enumerate(sources)}
        x = source_vectors[:, [places[words] for words in ours.values()]]
        y = vectors(encoder, [*theirs.values()], device)
        return [
            {"layer": layer, "cka": linear_cka(*both), "debiased": debiased_cka(*both)}
            for layer, both in enumerate(zip(x, y, strict=True))
        ]


def _cells(similarities: Similarities, measured: Sequence[EncoderState], device: torch.device) -> Iterator[Measurement]:
    made_from, pairs = similarities.encoder.tokenizer_fingerprint, similarities.pairs
    fingerprints = {lang: digest([list(map(list, texts.values())) for texts in both]) for lang, both in pairs.items()}
    for state in measured:
        for lang, texts in fingerprints.items():
            names = {"encoder": state.name, "task": state.task, "seed": state.seed, "lang": lang}
            identity = [state.key, made_from, texts, device.type]
            yield Measurement(names, identity, partial(similarities.measure, state, lang))


def gaps(scores: Sequence[Result], source: str, warn: Callable[[str], None]) -> pd.DataFrame:
    """Return ``task, lang, score, gap``: points below the source language; `FewshotError` without any gap."""
    own = {result.task: result.score for result in scores if result.lang == source}
    for task in dict.fromkeys(result.task for result in scores):
        if task not in own:
            warn(f"no test set of {task} in {source}: it has no gaps")
    rows = [
        {"task": result.task, "lang": result.lang, "score": result.score, "gap": own[result.task] - result.score}
        for result in scores
        if result.lang != source and result.task in own
    ]
    if not rows:
        raise FewshotError(f"no task has a test set both in {source} and in another language; give both with --data")
    return pd.DataFrame(rows)
