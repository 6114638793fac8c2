"""Sources ranked for a target language by criteria that are told without training.

The first criterion that there are values of decides, the others are shown beside it. `ORDER` is that of their rank
correlations with the scores on development languages, see `fewshot.papers.sources`; by the points that
their first choices lost there it would begin with the neighbours.
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
"""What each value says of a source."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Languages to learn from, the best one first.

    Args:
        lang: the target language.
        values: by criterion and source, the criterion that decides first; higher is better. One that says nothing of a
            source has no value of it.
        order: the sources.
        similarities: of each source to the target, by feature of lang2vec; none where it is not known.
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
    """Rank sources by the first criterion, those that it finds equal by the next, and last by name.

    Args:
        lang: the target language.
        texts: what `of_texts` returns, none where nothing is read.
        note: called with a line where nothing is known of the languages themselves.
    """
    try:
        known, alike = of_languages(lang, sources, task.name, encoder.name)
    except FewshotError as error:
        note(f"left out, similarities of languages: {error}")
        known, alike = {}, {}
    found = {**texts, **known}
    values = {name: found[name] for name in ORDER if found.get(name)}
    by_criterion = [ranks(sources, each) for each in values.values()]
    order = sorted(sources, key=lambda one: (*(each[one] for each in by_criterion), one))
    return Ranking(lang, values, tuple(order), alike)


def ranks(sources: Sequence[str], values: Mapping[str, float]) -> dict[str, float]:
    """Return the ranks of sources from 1; equal ones share the mean of theirs, and those of no value are last."""
    found = rankdata([-values.get(one, -np.inf) for one in sources])
    return dict(zip(sources, map(float, found), strict=True))


def read_texts(
    encoder: Encoder,
    task: Task[Any],
    examples: Mapping[str, Sequence[Example]],
    device: torch.device,
    report: Report,
) -> dict[str, Text]:
    """Read the examples of languages, see `criteria.read`; told before each of them."""
    texts = {}
    for done, (lang, some) in enumerate(examples.items()):
        report(Progress(done, len(examples), f"reading {lang}"))
        texts[lang] = criteria.read(encoder, task, some, device)
    return texts


def of_texts(target: Text, sources: Mapping[str, Text]) -> dict[str, dict[str, float]]:
    """Return what texts tell of sources, by criterion and source."""
    return {NEIGHBOURS: criteria.neighbours(target, sources), PIECES: criteria.pieces(target, sources)}


def of_languages(
    lang: str, sources: Sequence[str], task: str, encoder: str
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Return what is known of languages themselves: by criterion and source, and similarities by source and feature.

    Args:
        lang: the target language.
        sources: of which those are left out that lang2vec does not know.
        task: its name; of one with options the scores of that without them are taken.
        encoder: its name; a score is expected where there are published ones of it.

    Raises:
        FewshotError: when lang2vec is not installed, or does not know the target language.
    """
    languages.similarities([lang], lang)
    alike = {one: by_feature for one in sources if (by_feature := _similarities(one, lang))}
    found = {SIMILARITY: {one: 100 * float(np.mean(list(known.values()))) for one, known in alike.items()}}
    name, kind = scores.name_of(encoder), base_name(task)
    with suppress(FewshotError):  # there are no scores of the encoder in enough languages
        found[EXPECTED] = by_source(scores.published(), lang, kind, name, ENGLISH, list(alike))
    return found, alike


def table(title: str, ranking: Ranking, places: Mapping[str, str], most: int) -> Table:
    """Return a ranking as a table: of each source its rank, where its data are, and each criterion's value and rank.

    Args:
        places: names of the data, by source.
        most: rows.
    """
    own = {name: ranks(ranking.order, values) for name, values in ranking.values.items()}
    features = list(languages.FEATURES) if ranking.similarities else []
    rows = [
        (
            str(number) if ranking.values else "–",
            one,
            places[one],
            *(_cell(values.get(one), own[name][one]) for name, values in ranking.values.items()),
            *(f"{ranking.similarities[one][name]:.2f}" if one in ranking.similarities else "–" for name in features),
        )
        for number, one in enumerate(ranking.order[:most], start=1)
    ]
    return Table(title, ("rank", "source", "data", *ranking.values, *features), tuple(rows))


def why(ranking: Ranking) -> str:
    """Say in one line why the first source is the first."""
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
    except FewshotError:  # one that lang2vec has not
        return {}


def _cell(value: float | None, rank: float) -> str:
    return "–" if value is None else f"{value:.1f} ({rank:g})"
