"""How well sources are ranked: models of several languages scored on others, beside what the criteria said of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
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
from fewshot.experiments.executors.place import Place
from fewshot.experiments.machine import training_bytes
from fewshot.papers.measurements import TABLE, Cell, Row, check_positive, fill, scored
from fewshot.progress import Report
from fewshot.reports.page import Page, Section, Table
from fewshot.source_choice.candidates import SOURCE_SENTENCES, TARGET_SENTENCES
from fewshot.source_choice.ranking import ENGLISH, ORDER, of_languages, of_texts, read_texts
from fewshot.tasks import Task
from fewshot.training import presets
from fewshot.training.adapt import train_source
from fewshot.training.recipe import Recipe

FEWEST = 3
"""Sources of a target that are ranked; of two, a ranking is a coin."""

RESAMPLES = 1000

ANY, ALWAYS_ENGLISH = "any source", "English always"
"""What criteria must beat: the mean over all sources, and the usual source where it is one."""

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
    """What is trained on and what is scored, by language; no target is scored by the model of its own language."""

    task: Task[Any]
    encoder: Encoder
    sources: Mapping[str, AnnotatedExamples]
    targets: Mapping[str, AnnotatedExamples]
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
        data: folders of annotated data, see `DataFolders`.
        warn: called with what is left out.
        sentences: most examples to train on; of more, a random draw.
        tests: the same of each test set.

    Raises:
        FewshotError: when a target has fewer than `FEWEST` sources, or there is none.
    """
    check_positive({"--sentences": sentences, "--test-sentences": tests, "--updates": updates})
    task, every = tasks.get(name), languages_in(data)
    sources, targets = (list(dict.fromkeys(map(language, langs))) for langs in (sources, targets))
    folders = DataFolders(data, list(dict.fromkeys([*(sources or every), *(targets or every)])), warn)
    train = {lang: folders.find_train(task, lang, sentences, within=False) for lang in sources or every}
    test = {lang: next(folders.find_tests(task, lang, most=tests), None) for lang in targets or every}
    known, tested = ({lang: one for lang, one in found.items() if one} for found in (train, test))
    if missing := [lang for lang in (*sources, *targets) if lang not in {**known, **tested}]:
        warn(f"no {task.name} examples in {', '.join(missing)}")
    fitted = task.fitted([one for found in (*known.values(), *tested.values()) for one in found.examples])
    study = SourceStudy(fitted, load_encoder(model), known, tested, updates, place)
    if not tested or any(len(study.of(target)) < FEWEST for target in tested):
        raise FewshotError(
            f"{name} has sources {', '.join(known) or 'none'} and targets {', '.join(tested) or 'none'} here; "
            f"each target needs {FEWEST} sources beside itself: give --data folders that have more"
        )
    return study


def measure(study: SourceStudy, folder: Path, report: Report) -> pd.DataFrame:
    """Train on each source, score on each target, what the folder has no scores of; and ask the criteria.

    Returns:
        A line a pair: ``source, target, score`` in percent with its bootstrap interval ``low, high`` over examples, and
        what each criterion says, missing where it says nothing.
    """
    recipe = presets.source(study.task, presets.encoder_size(study.encoder), updates=study.updates)
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
    train: AnnotatedExamples,
    tests: Mapping[str, AnnotatedExamples],
    recipe: Recipe,
    device: torch.device,
) -> list[Row]:
    model = train_source(task, encoder, train.examples, recipe, 0, device)
    return [{"target": target, **scored(evaluate(model, test.examples))} for target, test in tests.items()]


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


def _some(found: AnnotatedExamples, most: int) -> Sequence[Any]:
    return random.Random(0).sample(found.examples, min(most, len(found.examples)))


@dataclass(frozen=True, slots=True)
class Finding:
    """How well a criterion ranks.

    Args:
        correlations: a target each; none for a rule that ranks nothing.
        losses: of its first choice, in points, a target each.
    """

    correlations: Sequence[float]
    losses: Sequence[float]


def findings(table: pd.DataFrame) -> dict[str, Finding]:
    """Return how well each criterion ranks, and what a choice without any loses, see `measure`."""
    targets = [rows for _, rows in table.groupby("target", sort=False)]
    found = {
        name: Finding(
            [_correlation(rows[name], rows["score"]) for rows in targets],
            [_loss(rows["score"], rows[name] == rows[name].max()) for rows in targets],
        )
        for name in _known(table)
    }
    found[ANY] = Finding([], [_loss(rows["score"], rows["score"].notna()) for rows in targets])
    usual = [rows for rows in targets if (rows["source"] == ENGLISH).any()]
    if len(usual) == len(targets):
        found[ALWAYS_ENGLISH] = Finding([], [_loss(rows["score"], rows["source"] == ENGLISH) for rows in usual])
    return found


def _known(table: pd.DataFrame) -> list[str]:
    return [name for name in ORDER if table[name].notna().any()]


def _correlation(values: pd.Series, scores: pd.Series) -> float:
    said = values.astype(float).fillna(-np.inf)  # of what it does not know a criterion expects least
    if said.nunique() < 2 or scores.nunique() < 2:
        return 0.0
    return float(spearmanr(said, scores).statistic)


def _loss(scores: pd.Series, chosen: pd.Series) -> float:
    return float(scores.max() - (scores[chosen] if chosen.any() else scores).mean())


def interval(values: Sequence[float]) -> str:
    """Return the mean over targets with its 95% interval."""
    rng = np.random.default_rng(0)
    means = rng.choice(np.array(values), (RESAMPLES, len(values))).mean(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{np.mean(values):.2f} [{low:.2f}, {high:.2f}]"


def page(study: SourceStudy, table: pd.DataFrame) -> Page:
    """Return the report of measurements, see `measure`."""
    found = findings(table)
    first = _known(table)[0]
    others = [f"{name} loses {np.mean(found[name].losses):.1f}" for name in (ANY, ALWAYS_ENGLISH) if name in found]
    headline = (
        f"Targets: {table['target'].nunique()}. The order of sources by {first} and that by their scores correlate at "
        f"{interval(found[first].correlations)} (Spearman); the first choice loses "
        f"{interval(found[first].losses)} points, {' and '.join(others)}."
    )
    rows = []
    for name, one in found.items():
        correlation = interval(one.correlations) if one.correlations else ""
        rows.append((name, correlation, interval(one.losses), f"{max(one.losses):.1f}"))
    columns = ("criterion", "correlation with scores", "points lost", "at most")
    data = {"Sources": study.sources, "Targets": study.targets}
    facts = {
        title: {lang: f"{len(one.examples)} examples of {one.folder}" for lang, one in of.items()}
        for title, of in data.items()
    }
    facts["Training"] = {"encoder": study.encoder.name, "updates": str(study.updates), "seeds": "1"}
    title = f"{study.task.title}: which language to learn from"
    tables = [Table("How well each criterion ranks sources", columns, tuple(rows)), _scores_by_source(study, table)]
    return Page(title, headline, [Section(tables=tables)], NOTES, facts)


def _scores_by_source(study: SourceStudy, table: pd.DataFrame) -> Table:
    """Return a line a target: its scores by source, the best source, and what each criterion chose."""
    criteria = _known(table)
    lines = []
    for target, rows in table.groupby("target", sort=False):
        by_source: Mapping[str, float] = dict(zip(rows["source"], rows["score"], strict=True))
        firsts = [", ".join(rows["source"][rows[name] == rows[name].max()]) for name in criteria]
        cells = [f"{by_source[lang]:.1f}" if lang in by_source else "" for lang in study.sources]
        lines.append((str(target), max(by_source, key=by_source.__getitem__), *cells, *firsts))
    columns = ("target", "best", *study.sources, *(f"by {name}" for name in criteria))
    return Table(f"{study.task.score_label} by source, and the first choice of each criterion", columns, tuple(lines))
