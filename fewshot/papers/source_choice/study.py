"""How well sources are ranked: models of several languages scored on others, beside what the criteria said of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from fewshot import tasks
from fewshot.corpora.files import write_text
from fewshot.corpora.language_codes import language
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.data_folders import Examples, Folders, languages_in
from fewshot.experiments.executors.place import Place
from fewshot.experiments.machine import training_bytes
from fewshot.papers.measuring.measurements import TABLE, Cell, Row, fill
from fewshot.progress import Report
from fewshot.source_choice.candidates import SOURCE_SENTENCES, TARGET_SENTENCES
from fewshot.source_choice.ranking import ORDER, of_languages, of_texts, read_texts
from fewshot.tasks import Task
from fewshot.training import presets
from fewshot.training.adapt import train_source
from fewshot.training.recipe import Recipe

FEWEST = 3
"""Sources of a target that are ranked; of two, a ranking is a coin."""


@dataclass(frozen=True, slots=True)
class SourceStudy:
    """What is trained on, and scored.

    Args:
        task: with the labels of all examples.
        encoder: the pretrained encoder.
        sources: what is trained on, by language.
        targets: what is scored, by language; none is scored by the model of its own language.
        updates: of one training.
        place: where to train.
    """

    task: Task[Any]
    encoder: Encoder
    sources: Mapping[str, Examples]
    targets: Mapping[str, Examples]
    updates: int
    place: Place

    def of(self, target: str) -> list[str]:
        """Return the sources of a target."""
        return [source for source in self.sources if source != target]


def prepare(  # noqa: PLR0913
    name: str,
    sources: Sequence[str],
    targets: Sequence[str],
    data: Sequence[Path],
    model: str,
    place: Place,
    warn: Callable[[str], None],
    *,
    sentences: int,
    tests: int,
    updates: int,
) -> SourceStudy:
    """Find the data of a study.

    Args:
        name: of the task.
        sources: languages to train on, by any of their codes; none: all that there are.
        targets: languages to score; none: all that there are.
        data: folders of annotated data, see `Folders`.
        model: name of the encoder.
        place: where to train.
        warn: called with what is left out.
        sentences: most examples to train on; of more, a random draw.
        tests: the same of each test set.
        updates: of one training.

    Raises:
        FewshotError: when a target has fewer than `FEWEST` sources, or there is none.
    """
    for option, value in (("sentences", sentences), ("test-sentences", tests), ("updates", updates)):
        if value < 1:
            raise FewshotError(f"--{option} is {value}; it must be at least 1")
    task, every = tasks.get(name), languages_in(data)
    sources, targets = (list(dict.fromkeys(map(language, langs))) for langs in (sources, targets))
    folders = Folders(data, list(dict.fromkeys([*(sources or every), *(targets or every)])), warn)
    train = {lang: folders.train(task, lang, sentences, within=False) for lang in sources or every}
    test = {lang: next(folders.tests(task, lang, most=tests), None) for lang in targets or every}
    known, scored = ({lang: one for lang, one in found.items() if one} for found in (train, test))
    if missing := [lang for lang in (*sources, *targets) if lang not in {**known, **scored}]:
        warn(f"no {task.name} examples in {', '.join(missing)}")
    fitted = task.fitted([one for found in (*known.values(), *scored.values()) for one in found.examples])
    study = SourceStudy(fitted, load_encoder(model), known, scored, updates, place)
    if not scored or any(len(study.of(target)) < FEWEST for target in scored):
        raise FewshotError(
            f"{name} has sources {', '.join(known) or 'none'} and targets {', '.join(scored) or 'none'} here; "
            f"each target needs {FEWEST} sources beside itself: give --data folders that have more"
        )
    return study


def measure(study: SourceStudy, folder: Path, report: Report) -> pd.DataFrame:
    """Train on each source, score on each target, what the folder has no scores of; and ask the criteria.

    Returns:
        A line a pair: ``source, target, score`` in percent with its bootstrap interval ``low, high`` over examples, and
        what each criterion says, missing where it says nothing.
    """
    recipe = presets.source(study.task, presets.kind(study.encoder), updates=study.updates)
    cells = []
    for source, train in study.sources.items():
        tests = {target: test for target, test in study.targets.items() if target != source}
        data = [train.fingerprint, *((target, test.fingerprint) for target, test in tests.items())]
        made_from = [study.task.name, list(study.task.labels), study.encoder.fingerprint]
        identity = [*made_from, data, recipe.described(), study.place.device.type]
        work = partial(_scores, study.task, study.encoder, train, tests, recipe)
        cells.append(Cell({"source": source}, identity, work))
    table = fill(cells, folder, study.place, report, training_bytes(study.encoder))
    said = _criteria(study, report)
    for name in ORDER:
        pairs = zip(table["target"], table["source"], strict=True)
        table[name] = [said[target].get(name, {}).get(source) for target, source in pairs]
    write_text(folder / TABLE, table.to_csv(index=False))
    return table


def _scores(
    task: Task[Any],
    encoder: Encoder,
    train: Examples,
    tests: Mapping[str, Examples],
    recipe: Recipe,
    device: torch.device,
) -> list[Row]:
    model = train_source(task, encoder, train.examples, recipe, 0, device)
    found = {target: evaluate(model, test.examples) for target, test in tests.items()}
    return [{"target": lang, "score": one.score, "low": one.low, "high": one.high} for lang, one in found.items()]


def _criteria(study: SourceStudy, report: Report) -> dict[str, dict[str, dict[str, float]]]:
    """Return what each criterion says of each source, by target, criterion and source."""
    encoder, device = study.encoder, study.place.device
    sources, targets = (
        read_texts(encoder, study.task, {lang: _some(one, most) for lang, one in found.items()}, device, report)
        for found, most in ((study.sources, SOURCE_SENTENCES), (study.targets, TARGET_SENTENCES))
    )
    found = {}
    for target, text in targets.items():
        langs = study.of(target)
        found[target] = of_texts(text, {lang: sources[lang] for lang in langs})
        with suppress(FewshotError):  # a target that lang2vec has not
            found[target] |= of_languages(target, langs, study.task.name, encoder.name)[0]
    return found


def _some(found: Examples, most: int) -> Sequence[Any]:
    return random.Random(0).sample(found.examples, min(most, len(found.examples)))
