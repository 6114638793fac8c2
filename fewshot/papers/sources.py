"""Quality of the criteria that rank source languages, judged by the scores of trained models."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy.stats import spearmanr

from fewshot import tasks
from fewshot.corpora.files import write_text
from fewshot.corpora.language_codes import language
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.errors import FewshotError
from fewshot.evaluation import evaluate
from fewshot.experiments.data_folders import AnnotatedExamples, DataFolders, languages_in
from fewshot.experiments.executors.place import training_bytes
from fewshot.papers.measurements import TABLE, Measurement, Row, StudyRun, check_positive, fill, score_columns
from fewshot.reports.page import Page, Section, Table
from fewshot.source_choice.candidates import SOURCE_SENTENCES, TARGET_SENTENCES
from fewshot.source_choice.ranking import ENGLISH, ORDER, of_languages, of_texts, read_texts
from fewshot.tasks import Task
from fewshot.training import presets
from fewshot.training.adapt import train_source
from fewshot.training.recipe import Recipe

MIN_SOURCES = 3
"""Sources that a target needs; a ranking of two is a coin flip."""

RESAMPLES = 1000

ANY, ALWAYS_ENGLISH = "any source", "English always"
"""Baselines of the criteria: the mean over all sources, and English where it is a source of every target."""

NOTES = (
    "Correlation: Spearman's, of a criterion with the scores of the models of all sources on a target; the mean over "
    "targets. A criterion that says the same of all sources, or nothing, has 0.",
    "Loss: points that the model of the criterion's first choice scores below that of the best source; the mean over "
    "targets, and the largest. Of choices that a criterion finds equal, and of any source, the mean.",
    "Intervals are 95%, by resampling targets (percentiles of 1,000 draws). Models were trained once: how far another "
    "seed, or other sentences, would change the scores is not in them.",
)


@dataclass(frozen=True, slots=True)
class SourceStudy:
    """The training and test sets by language; no target is scored by the model of its own language."""

    task: Task[Any]
    encoder: Encoder
    sources: Mapping[str, AnnotatedExamples]
    targets: Mapping[str, AnnotatedExamples]
    updates: int
    run: StudyRun

    def sources_of(self, target: str) -> list[str]:
        """Return the source languages of a target."""
        return [source for source in self.sources if source != target]


def prepare(  # noqa: PLR0913
    name: str,
    sources: Sequence[str],
    targets: Sequence[str],
    data: Sequence[Path],
    model: str,
    run: StudyRun,
    *,
    sentences: int,
    tests: int,
    updates: int,
) -> SourceStudy:
    """Find the training and test sets of a task.

    Args:
        sources: languages to train on, by any of their codes; empty for all languages with data.
        targets: languages to score; empty for all languages with data.
        sentences: maximum number of training examples; a random draw of more.
        tests: the same for each test set.

    Raises:
        FewshotError: when there is no target, or a target has fewer than `MIN_SOURCES` sources.
    """
    check_positive({"--sentences": sentences, "--test-sentences": tests, "--updates": updates})
    task, every = tasks.get(name), languages_in(data)
    sources, targets = (list(dict.fromkeys(map(language, langs))) for langs in (sources, targets))
    folders = DataFolders(data, list(dict.fromkeys([*(sources or every), *(targets or every)])), run.warn)
    train = {lang: folders.find_train(task, lang, sentences, within=False) for lang in sources or every}
    test = {lang: next(folders.find_tests(task, lang, most=tests), None) for lang in targets or every}
    known, tested = ({lang: data_set for lang, data_set in by_lang.items() if data_set} for by_lang in (train, test))
    if missing := [lang for lang in (*sources, *targets) if lang not in {**known, **tested}]:
        run.warn(f"no {task.name} examples in {', '.join(missing)}")
    fitted = task.fitted([row for data_set in (*known.values(), *tested.values()) for row in data_set.examples])
    study = SourceStudy(fitted, load_encoder(model), known, tested, updates, run)
    if not tested or any(len(study.sources_of(target)) < MIN_SOURCES for target in tested):
        raise FewshotError(
            f"{name} has sources {', '.join(known) or 'none'} and targets {', '.join(tested) or 'none'} here; "
            f"each target needs {MIN_SOURCES} sources beside itself: give --data folders that have more"
        )
    return study


def measure(study: SourceStudy) -> pd.DataFrame:
    """Train a model on each source, score it on each target, and compute the criteria.

    Returns:
        A row for each pair: ``source, target, score`` in percent with its 95% bootstrap interval ``low, high``, and a
        column for each criterion, missing where the criterion has no value.
    """
    recipe = presets.source(study.task, presets.encoder_size(study.encoder), updates=study.updates)
    cells = []
    for source, train in study.sources.items():
        tests = {target: test for target, test in study.targets.items() if target != source}
        data = [train.fingerprint, *((target, test.fingerprint) for target, test in tests.items())]
        made_from = [study.task.name, list(study.task.labels), study.encoder.fingerprint]
        identity = [*made_from, data, recipe.described(), study.run.place.device.type]
        cells.append(
            Measurement({"source": source}, identity, partial(_scores, study.task, study.encoder, train, tests, recipe))
        )
    table = fill(cells, study.run, training_bytes(study.encoder))
    by_target = _criteria(study)
    for name in ORDER:
        pairs = zip(table["target"], table["source"], strict=True)
        table[name] = [by_target[target].get(name, {}).get(source) for target, source in pairs]
    write_text(study.run.folder / TABLE, table.to_csv(index=False))
    return table


def _scores(
    task: Task[Any],
    encoder: Encoder,
    train: AnnotatedExamples,
    tests: Mapping[str, AnnotatedExamples],
    recipe: Recipe,
    device: torch.device,
) -> list[Row]:
    model = train_source(task, encoder, train.examples, recipe, 0, device)
    return [{"target": target, **score_columns(evaluate(model, test.examples))} for target, test in tests.items()]


def _criteria(study: SourceStudy) -> dict[str, dict[str, dict[str, float]]]:
    encoder, device = study.encoder, study.run.place.device

    def read(by_lang: Mapping[str, AnnotatedExamples], most: int) -> Mapping[str, Any]:
        examples = {lang: data.examples for lang, data in by_lang.items()}
        drawn = {lang: random.Random(0).sample(rows, min(most, len(rows))) for lang, rows in examples.items()}
        return read_texts(encoder, study.task, drawn, device, study.run.report)

    sources, targets = read(study.sources, SOURCE_SENTENCES), read(study.targets, TARGET_SENTENCES)
    values = {}
    for target, text in targets.items():
        langs = study.sources_of(target)
        values[target] = of_texts(text, {lang: sources[lang] for lang in langs})
        with suppress(FewshotError):  # lang2vec lacks the target
            values[target] |= of_languages(target, langs, study.task.name, encoder.name)[0]
    return values


@dataclass(frozen=True, slots=True)
class RankingQuality:
    """The correlations of a criterion with the scores, and the points lost by its first choice, by target.

    A baseline that ranks nothing has no correlations.
    """

    correlations: Sequence[float]
    losses: Sequence[float]


def ranking_quality(table: pd.DataFrame) -> dict[str, RankingQuality]:
    """Return the quality of each criterion and of the baselines, from the rows of `measure`."""
    targets = [rows for _, rows in table.groupby("target", sort=False)]
    quality = {
        name: RankingQuality(
            [_correlation(rows[name], rows["score"]) for rows in targets],
            [_loss(rows["score"], rows[name] == rows[name].max()) for rows in targets],
        )
        for name in _known_criteria(table)
    }
    quality[ANY] = RankingQuality([], [_loss(rows["score"], rows["score"].notna()) for rows in targets])
    is_english = [rows["source"] == ENGLISH for rows in targets]
    if all(chosen.any() for chosen in is_english):
        losses = [_loss(rows["score"], chosen) for rows, chosen in zip(targets, is_english, strict=True)]
        quality[ALWAYS_ENGLISH] = RankingQuality([], losses)
    return quality


def _known_criteria(table: pd.DataFrame) -> list[str]:
    return [name for name in ORDER if table[name].notna().any()]


def _correlation(values: pd.Series, scores: pd.Series) -> float:
    known = values.astype(float).fillna(-np.inf)  # a missing value ranks last
    return float(spearmanr(known, scores).statistic) if known.nunique() > 1 and scores.nunique() > 1 else 0.0


def _loss(scores: pd.Series, chosen: pd.Series) -> float:
    return float(scores.max() - (scores[chosen] if chosen.any() else scores).mean())


def interval(values: Sequence[float]) -> str:
    """Return the mean over targets with its 95% interval."""
    rng = np.random.default_rng(0)
    means = rng.choice(np.array(values), (RESAMPLES, len(values))).mean(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{np.mean(values):.2f} [{low:.2f}, {high:.2f}]"


def page(study: SourceStudy, table: pd.DataFrame) -> Page:
    """Return the report of the rows of `measure`."""
    quality = ranking_quality(table)
    criteria = _known_criteria(table)
    first = quality[criteria[0]]
    baselines = [
        f"{name} loses {np.mean(quality[name].losses):.1f}" for name in (ANY, ALWAYS_ENGLISH) if name in quality
    ]
    headline = (
        f"Targets: {table['target'].nunique()}. The order of sources by {criteria[0]} and that by their scores "
        f"correlate at {interval(first.correlations)} (Spearman); the first choice loses {interval(first.losses)} "
        f"points, {' and '.join(baselines)}."
    )
    rows = []
    for name, result in quality.items():
        correlation = interval(result.correlations) if result.correlations else ""
        rows.append((name, correlation, interval(result.losses), f"{max(result.losses):.1f}"))
    columns = ("criterion", "correlation with scores", "points lost", "at most")
    facts = {
        title: {lang: f"{len(data.examples)} examples of {data.folder}" for lang, data in by_lang.items()}
        for title, by_lang in (("Sources", study.sources), ("Targets", study.targets))
    }
    facts["Training"] = {"encoder": study.encoder.name, "updates": str(study.updates), "seeds": "1"}
    title = f"{study.task.title}: which language to learn from"
    ranked = Table("How well each criterion ranks sources", columns, tuple(rows))
    return Page(title, headline, [Section(tables=[ranked, _scores_by_source(study, table, criteria)])], NOTES, facts)


def _scores_by_source(study: SourceStudy, table: pd.DataFrame, criteria: Sequence[str]) -> Table:
    lines = []
    for target, rows in table.groupby("target", sort=False):
        by_source: Mapping[str, float] = dict(zip(rows["source"], rows["score"], strict=True))
        firsts = [", ".join(rows["source"][rows[name] == rows[name].max()]) for name in criteria]
        cells = [f"{by_source[lang]:.1f}" if lang in by_source else "" for lang in study.sources]
        lines.append((str(target), max(by_source, key=by_source.__getitem__), *cells, *firsts))
    columns = ("target", "best", *study.sources, *(f"by {name}" for name in criteria))
    return Table(f"{study.task.score_label} by source, and the first choice of each criterion", columns, tuple(lines))
