"""The report of `fewshot.papers.source_choice.study`: how well each criterion ranks, what its first choice loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from fewshot.papers.source_choice.study import SourceStudy
from fewshot.reports.page import Page, Section, Table
from fewshot.source_choice.ranking import ENGLISH, ORDER

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
class Finding:
    """How well a criterion ranks.

    Args:
        correlations: a target each; none for a rule that ranks nothing.
        losses: of its first choice, in points, a target each.
    """

    correlations: Sequence[float]
    losses: Sequence[float]


def page(study: SourceStudy, table: pd.DataFrame) -> Page:
    """Return the report of measurements, see `study.measure`."""
    found = findings(table)
    first = next(name for name in ORDER if name in found)
    others = [f"{name} loses {_mean(found[name].losses):.1f}" for name in (ANY, ALWAYS_ENGLISH) if name in found]
    headline = (
        f"Targets: {table['target'].nunique()}. The order of sources by {first} and that by their scores correlate at "
        f"{interval(found[first].correlations)} (Spearman); the first choice loses "
        f"{interval(found[first].losses)} points, {' and '.join(others)}."
    )
    rows = [
        (
            name,
            interval(one.correlations) if one.correlations else "",
            interval(one.losses),
            f"{max(one.losses):.1f}",
        )
        for name, one in found.items()
    ]
    columns = ("criterion", "correlation with scores", "points lost", "at most")
    facts = {
        "Sources": {lang: f"{len(one.examples)} examples of {one.folder}" for lang, one in study.sources.items()},
        "Targets": {lang: f"{len(one.examples)} examples of {one.folder}" for lang, one in study.targets.items()},
        "Training": {"encoder": study.encoder.name, "updates": str(study.updates), "seeds": "1"},
    }
    title = f"{study.task.title}: which language to learn from"
    tables = [Table("How well each criterion ranks sources", columns, tuple(rows)), _scores(study, table)]
    return Page(title, headline, [Section(tables=tables)], NOTES, facts)


def findings(table: pd.DataFrame) -> dict[str, Finding]:
    """Return how well each criterion ranks, and what a choice without any loses, see `study.measure`."""
    targets = [rows for _, rows in table.groupby("target", sort=False)]
    found = {
        name: Finding(
            [_correlation(rows[name], rows["score"]) for rows in targets],
            [_loss(rows["score"], rows[name] == rows[name].max()) for rows in targets],
        )
        for name in ORDER
        if table[name].notna().any()
    }
    found[ANY] = Finding([], [_loss(rows["score"], rows["score"].notna()) for rows in targets])
    usual = [rows for rows in targets if (rows["source"] == ENGLISH).any()]
    if len(usual) == len(targets):
        found[ALWAYS_ENGLISH] = Finding([], [_loss(rows["score"], rows["source"] == ENGLISH) for rows in usual])
    return found


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
    return f"{_mean(values):.2f} [{low:.2f}, {high:.2f}]"


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _scores(study: SourceStudy, table: pd.DataFrame) -> Table:
    """Return a line a target: its scores by source, the best source, and what each criterion chose."""
    criteria = [name for name in ORDER if table[name].notna().any()]
    lines = []
    for target, rows in table.groupby("target", sort=False):
        by_source: Mapping[str, float] = dict(zip(rows["source"], rows["score"], strict=True))
        firsts = [", ".join(rows["source"][rows[name] == rows[name].max()]) for name in criteria]
        cells = [f"{by_source[lang]:.1f}" if lang in by_source else "" for lang in study.sources]
        lines.append((str(target), max(by_source, key=by_source.__getitem__), *cells, *firsts))
    columns = ("target", "best", *study.sources, *(f"by {name}" for name in criteria))
    return Table(f"{study.task.score_label} by source, and the first choice of each criterion", columns, tuple(lines))
