"""Rank source languages for a target language by criteria that need no training.

The first criterion with values decides, the others are shown as well. `ORDER` follows their rank correlations with
the scores on development languages, see `fewshot.papers.sources`; by the points that their first choices lost there,
neighbours would come first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.stats import rankdata

from fewshot.corpora.types import Example
from fewshot.encoders.load import Encoder
from fewshot.errors import FewshotError
from fewshot.progress import Progress, Report
from fewshot.reports.page import Table
from fewshot.source_choice import criteria
from fewshot.source_choice.criteria import Text
from fewshot.tasks import Task, base_name
from fewshot.transfer import languages, scores
from fewshot.transfer.prediction import by_source

EXPECTED, SIMILARITY, NEIGHBOURS, PIECES = ORDER = ("expected", "lang2vec", "neighbours %", "pieces %")
"""Names of the criteria, and headings of their columns; the best one first."""

ENGLISH = "en"
"""The source language of the published scores."""

REASONS = {
    EXPECTED: "a score of {:.1f} is expected",
    SIMILARITY: "it is {:.0f}% similar in lang2vec",
    NEIGHBOURS: "{:.0f}% of the nearest sentences are its own",
    PIECES: "{:.0f}% of the text is of word pieces that its data have",
}
"""Explanation of a source's value, by criterion."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Source languages, the best one first.

    Args:
        values: by criterion and source, the deciding criterion first; higher is better. Unknown values are left out.
        similarities: of each source to the target, by feature of lang2vec; empty if unknown.
    """

    lang: str
    values: Mapping[str, Mapping[str, float]]
    order: tuple[str, ...]
    similarities: Mapping[str, Mapping[str, float]]


def rank(
    task: Task[Any],
    lang: str,
    encoder: Encoder,
    sources: Sequence[str],
    texts: Mapping[str, Mapping[str, float]],
    note: Callable[[str], None],
) -> Ranking:
    """Rank sources by the first criterion, ties by the next ones, and finally by name.

    Args:
        texts: result of `of_texts`, empty if no texts were read.
        note: called with a line if nothing is known about the languages.
    """
    try:
        known, alike = of_languages(lang, sources, task.name, encoder.name)
    except FewshotError as error:
        note(f"left out, similarities of languages: {error}")
        known, alike = {}, {}
    computed = {**texts, **known}
    values = {name: computed[name] for name in ORDER if computed.get(name)}
    by_criterion = [ranks(sources, of_source) for of_source in values.values()]
    order = sorted(sources, key=lambda source: (*(of_source[source] for of_source in by_criterion), source))
    return Ranking(lang, values, tuple(order), alike)


def ranks(sources: Sequence[str], values: Mapping[str, float]) -> dict[str, float]:
    """Return the ranks of sources from 1; ties share their mean rank, unknown values come last."""
    ranked = rankdata([-values.get(source, -np.inf) for source in sources])
    return dict(zip(sources, map(float, ranked), strict=True))


def read_texts(
    encoder: Encoder,
    task: Task[Any],
    examples: Mapping[str, Sequence[Example]],
    device: torch.device,
    report: Report,
) -> dict[str, Text]:
    """Return the vectors and word pieces of each language, see `criteria.read`; report progress."""
    texts = {}
    for done, (lang, some) in enumerate(examples.items()):
        report(Progress(done, len(examples), f"reading {lang}"))
        texts[lang] = criteria.read(encoder, task, some, device)
    return texts


def of_texts(target: Text, sources: Mapping[str, Text]) -> dict[str, dict[str, float]]:
    """Return the criteria computed from texts, by criterion and source."""
    return {NEIGHBOURS: criteria.neighbours(target, sources), PIECES: criteria.pieces(target, sources)}


def of_languages(
    lang: str, sources: Sequence[str], task: str, encoder: str
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return criteria known of languages, by criterion and source, and similarities by source and feature.

    Sources that lang2vec does not know are left out. A score is expected only of an encoder with published scores.

    Raises:
        FewshotError: when lang2vec is not installed, or does not know the target language.
    """
    languages.similarities([lang], lang)
    alike = {source: by_feature for source in sources if (by_feature := _similarities(source, lang))}
    values = {SIMILARITY: {source: 100 * float(np.mean(list(known.values()))) for source, known in alike.items()}}
    name, kind = scores.name_of(encoder), base_name(task)
    with suppress(FewshotError):  # the encoder has scores in too few languages
        values[EXPECTED] = by_source(scores.published(), lang, kind, name, ENGLISH, list(alike))
    return values, alike


def table(title: str, ranking: Ranking, places: Mapping[str, str], most: int) -> Table:
    """Return a ranking of at most so many sources as a table, with the data, values and ranks of each."""
    own = {name: ranks(ranking.order, values) for name, values in ranking.values.items()}
    features = list(languages.FEATURES) if ranking.similarities else []
    rows = [
        (
            str(number) if ranking.values else "–",
            source,
            places[source],
            *(_cell(values.get(source), own[name][source]) for name, values in ranking.values.items()),
            *(
                f"{ranking.similarities[source][name]:.2f}" if source in ranking.similarities else "–"
                for name in features
            ),
        )
        for number, source in enumerate(ranking.order[:most], start=1)
    ]
    return Table(title, ("rank", "source", "data", *ranking.values, *features), tuple(rows))


def why(ranking: Ranking) -> str:
    """Return in one line why the first source is the first."""
    first, count = ranking.order[0], len(ranking.order)
    reasons = [
        f"{REASONS[name].format(values[first])} (rank {ranks(ranking.order, values)[first]:g} of {count})"
        for name, values in ranking.values.items()
        if first in values
    ]
    return f"{first} is first for {ranking.lang}: {'; '.join(reasons) or 'nothing is known of any, and names decide'}."


def _similarities(source: str, lang: str) -> dict[str, float]:
    try:
        return languages.similarities([source], lang)[source]
    except FewshotError:  # unknown to lang2vec
        return {}


def _cell(value: float | None, rank: float) -> str:
    return "–" if value is None else f"{value:.1f} ({rank:g})"
