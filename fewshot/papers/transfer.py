"""What zero-shot scores go with: similarity to the source language, pretraining size (Lauscher et al. 2020, 3.3).

Correlations of each feature with the scores (Table 2, in ``correlations.csv``), and a linear regression on the features
that a greedy search chooses, judged on languages that are left out (Table 3); the paper's figures stand beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fewshot.corpora.language_codes import language
from fewshot.errors import FewshotError
from fewshot.papers.statistics import pearson, spearman
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.transfer import regression
from fewshot.transfer.languages import FEATURES, SIZE
from fewshot.transfer.regression import MIN_LANGUAGES, Sample
from fewshot.transfer.scores import Score, groups

TABLE_3 = {
    ("mbert", "pos"): ("SYN .99", 0.94, 0.90, 4.60),
    ("mbert", "dep"): ("SYN .99", 0.93, 0.92, 5.77),
    ("mbert", "ner"): ("PHON .99", 0.69, 0.82, 9.45),
    ("xlm-r", "nli"): ("SYN .51, SIZE .49", 0.84, 0.85, 2.01),
    ("mbert", "nli"): ("SYN .35, SIZE .34, FAM .31", 0.89, 0.90, 2.78),
    ("xlm-r", "qa"): ("PHON .99", 0.95, 0.83, 2.89),
    ("mbert", "qa"): ("SIZE .99", 0.89, 0.93, 4.76),
}
"""Features with their weights, Pearson, Spearman, mean absolute error, by encoder and task."""

NEAR = 0.05
"""A correlation that is no farther from the paper's counts as reproduced."""

WHY = {
    "PHON": "URIEL has several; the paper does not say which",
    "INV": "URIEL has several; the paper does not say which",
    SIZE: "articles of 2020; the paper's are of 2018",
}
"""Why a correlation may differ from the paper's, where that is known."""

SHOWN = 3
"""Samples that the figure begins with; the others are a click away."""

POINTS = (
    "Each language is a point: its similarity to the source language (cosine of lang2vec vectors), the size of its "
    "pretraining corpus, its zero-shot score."
)
SOURCE = (
    "The source language is a point too where it has a score, with similarity 1: only so do the paper's figures come "
    "out (its section 3.3 speaks of target languages). Without it, INV goes with nothing there."
)
NO_SOURCE = (
    "The source language is no point, for it has no score here; the paper's figures come out only where it is one, "
    "with similarity 1."
)
NOTES = (
    "SIZE counts Wikipedia articles (mBERT) or millions of tokens of CC-100 (XLM-R), not their logarithm. The embedded "
    "encoder, mini, has none: what its teacher read is not counted by language. Its scores are of fewshot "
    "zero-shot, the others the paper's.",
    "The search for features adds the one that raises the Pearson correlation of left-out predictions most, until none "
    "does. The error of its left-out predictions is too low, for it chose them; the nested error is that of a search "
    "which has not seen the language either. Beside it stands the error of guessing the mean of the other languages.",
    "With so few languages, which features are chosen hangs on one or two of them: the paper's selection (Table 3) is "
    "not expected to come out again.",
    "Scores of different encoders may be of different metrics (dependencies: UAS in the paper, LAS of mini; entities: "
    "token accuracy in the paper, span F1 of mini); correlations are within an encoder and task.",
)


@dataclass(frozen=True, slots=True)
class Selection:
    """A regression on features that a greedy search chose.

    Args:
        shares: of the standardized coefficients of the features, signs aside.
        predictions: ``[langs]``, of languages left out after the search, as in the paper.
        figures: Pearson and Spearman correlation of these with the scores, their mean absolute error in points, that of
            predictions by a search which leaves the language out too, and that of the mean of the other languages.
    """

    features: tuple[str, ...]
    shares: tuple[float, ...]
    predictions: np.ndarray
    figures: tuple[float, ...]


def samples(scores: Sequence[Score], source: str) -> list[Sample]:
    """Return a sample for each encoder and task that has zero-shot scores in enough languages.

    Args:
        source: the language that the encoders were trained on.

    Raises:
        FewshotError: when there are too few languages in every task, or one that lang2vec does not know.
    """
    source = language(source)
    found = [
        regression.sample(encoder, task, by_lang, source)
        for (encoder, task), by_lang in groups(scores).items()
        if len(set(by_lang) - {source}) >= MIN_LANGUAGES
    ]
    if not found:
        raise FewshotError(f"no encoder has zero-shot scores of a task in {MIN_LANGUAGES} languages beside {source}")
    return found


def regress(sample: Sample) -> Selection:
    """Choose features and judge the regression on left-out languages (Table 3)."""
    chosen = regression.select(sample.x, sample.y)
    x, y = sample.x[:, chosen], sample.y
    predictions = regression.leave_one_out(x, y)
    correlations = (pearson(predictions, y).r, spearman(predictions, y).r)
    judged = (predictions, regression.nested(sample.x, y), regression.leave_one_out(x[:, :0], y))
    return Selection(
        features=tuple(sample.features[column] for column in chosen),
        shares=tuple(regression.shares(x, y)) if chosen else (),
        predictions=predictions,
        figures=(*correlations, *(regression.mean_error(one, y) for one in judged)),
    )


@cache
def table_2() -> pd.DataFrame:
    """Return the paper's correlations: ``encoder, task, feature, paper_pearson, paper_spearman``."""
    read = pd.read_csv(Path(__file__).with_name("correlations.csv"))
    return read.rename(columns={"pearson": "paper_pearson", "spearman": "paper_spearman"})


def table(found: Sequence[Sample]) -> pd.DataFrame:
    """Return the correlation of each feature with the scores (Table 2), a line each, with the paper's where it has one.

    Those of ``pearson_targets`` and ``spearman_targets`` are without the source language.
    """
    rows = []
    for sample in found:
        targets = sample.targets
        for column, feature in enumerate(sample.features):
            names = {"encoder": sample.encoder, "task": sample.task, "feature": feature}
            row: dict[str, object] = {**names, "languages": len(sample.langs)}
            for end, of in (("", sample), ("_targets", targets)):
                row |= {f"{one.__name__}{end}": one(of.x[:, column], of.y).r for one in (pearson, spearman)}
            rows.append(row)
    return pd.DataFrame(rows).merge(table_2(), how="left", on=["encoder", "task", "feature"])


def page(found: Sequence[Sample], data: str) -> Page:
    """Return the report of samples, whose scores are from ``data``."""
    correlations = table(found)
    selections = [(sample, regress(sample)) for sample in found]
    near = _near(correlations)
    tables = [_correlations(found, correlations), _selections(selections), *([_differences(near)] if len(near) else [])]
    source = found[0].source
    facts = {
        "Languages": {f"{one.task}, {one.encoder}": " ".join(one.langs) for one in found},
        "Data": {"scores": data, "source language": source, "similarities": "lang2vec (Littell et al. 2017)"},
    }
    figures = {"Zero-shot scores and what is predicted for a language that is left out": _figure(selections)}
    if len(near):
        figures["Correlations here and in the paper"] = _beside(near)
    point = SOURCE if any(source in one.langs for one in found) else NO_SOURCE
    notes = [f"{POINTS} {point}", *NOTES]
    shown = figures_and_tables(figures, tables)
    return Page("What zero-shot transfer goes with", _headline(near, correlations), shown, notes, facts)


def _near(table: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each correlation that the paper has too, with the difference."""
    rows = table.dropna(subset=["paper_pearson"])
    parts = [
        rows[["encoder", "task", "feature"]].assign(
            measure=measure, ours=rows[measure], paper=rows[f"paper_{measure}"].astype(float)
        )
        for measure in ("pearson", "spearman")
    ]
    both = pd.concat(parts)
    return both.assign(difference=both.ours - both.paper).dropna(subset=["difference"])


def _headline(near: pd.DataFrame, table: pd.DataFrame) -> str:
    if table.pearson.isna().all():
        return "No feature varies with the scores"
    best = table.iloc[int(table.pearson.abs().argmax())]
    if not len(near):
        return (
            f"{best.feature} goes with zero-shot {best.task} scores of {best.encoder} most: Pearson {best.pearson:.2f} "
            f"over {best.languages} languages (Lauscher et al. 2020, Table 2: "
            f"{_paper_best(best.task)})"
        )
    counted = near[near.feature.isin(("SYN", "FAM", "GEO", SIZE))]
    return (
        f"{_count(near)} correlations with the paper's scores lie within {NEAR} of its Table 2; of SYN, FAM, GEO and "
        f"SIZE {_count(counted)}, at most {counted.difference.abs().max():.2f} away"
    )


def _paper_best(task: str) -> str:
    found = table_2()[(table_2().encoder == "mbert") & (table_2().task == task)]
    if not len(found):
        return "no such task"
    best = found.iloc[int(found.paper_pearson.argmax())]
    return f"{best.feature}, {best.paper_pearson:.2f}, mbert"


def _count(near: pd.DataFrame) -> str:
    parts = [
        f"{(rows.difference.abs() <= NEAR).sum()} of {len(rows)} {measure.capitalize()}"
        for measure in ("pearson", "spearman")
        for rows in [near[near.measure == measure]]
    ]
    return " and ".join(parts)


def _correlations(found: Sequence[Sample], table: pd.DataFrame) -> Table:
    names = [*FEATURES, *([SIZE] if (table.feature == SIZE).any() else [])]
    rows = []
    for sample in found:
        ours = table[(table.encoder == sample.encoder) & (table.task == sample.task)].set_index("feature")
        kinds = {
            f"{len(sample.langs)} languages": ("pearson", "spearman"),
            "paper": ("paper_pearson", "paper_spearman"),
        }
        if sample.source in sample.langs:
            kinds[f"without {sample.source}"] = "pearson_targets", "spearman_targets"
        for kind, columns in kinds.items():
            cells = [_pair(ours, name, *columns) for name in names]
            if any(cells):
                rows.append((sample.task, sample.encoder, kind, *cells))
    title = "Correlations with zero-shot scores: Pearson, Spearman (paper: Lauscher et al. 2020, Table 2)"
    return Table(title, ("task", "encoder", "over", *names), tuple(rows))


def _pair(rows: pd.DataFrame, feature: str, *columns: str) -> str:
    values = rows.reindex([feature])[list(columns)].to_numpy(float)[0]
    return "" if np.isnan(values).any() else " ".join(f"{value:+.2f}" for value in values)


def _selections(selections: Sequence[tuple[Sample, Selection]]) -> Table:
    rows = []
    for sample, one in selections:
        weights = ", ".join(f"{name} {share:.2f}" for name, share in zip(one.features, one.shares, strict=True))
        cells = ("–" if np.isnan(value) else f"{value:.2f}" for value in one.figures)
        rows.append((sample.task, sample.encoder, weights or "none", *cells))
        if paper := TABLE_3.get((sample.encoder, sample.task)):
            features, *values = paper
            rows.append((sample.task, "  paper", features, *(f"{value:.2f}" for value in values), "", ""))
    columns = ("task", "encoder", "features", "Pearson", "Spearman", "error", "nested error", "error of the mean")
    title = "Predicting a left-out language; errors in points (paper: Lauscher et al. 2020, Table 3)"
    return Table(title, columns, tuple(rows))


def _differences(near: pd.DataFrame) -> Table:
    far = near[near.difference.abs() > NEAR].to_dict("records")
    rows = [
        (
            f"{one['task']} {one['encoder']}: {one['feature']} {one['measure']}",
            f"{one['ours']:.2f}, paper {one['paper']:.2f}",
            WHY.get(one["feature"], "not known"),
        )
        for one in far
    ]
    return Table(f"More than {NEAR} from the paper", ("correlation", "ours", "why"), tuple(rows))


def _figure(selections: Sequence[tuple[Sample, Selection]]) -> go.Figure:
    figure = go.Figure()
    for number, (sample, one) in enumerate(selections):
        figure.add_scatter(
            x=one.predictions,
            y=sample.y,
            text=sample.langs,
            mode="markers+text",
            marker={"size": 9},
            textposition="top center",
            name=f"{sample.task}, {sample.encoder}",
            visible=True if number < SHOWN else "legendonly",
        )
    figure.add_shape(type="line", x0=0, y0=0, x1=100, y1=100, line={"dash": "dot", "width": 1, "color": "#888"})
    return style_figure(figure, "predicted without the language (%)", "scored (%)")


def _beside(near: pd.DataFrame) -> go.Figure:
    figure = go.Figure()
    for feature in dict.fromkeys(near.feature):
        rows = near[near.feature == feature]
        hover = [f"{one.task}, {one.encoder}, {one.measure}" for one in rows.itertuples()]
        figure.add_scatter(x=rows.paper, y=rows.ours, text=hover, mode="markers", marker={"size": 9}, name=feature)
    figure.add_shape(type="line", x0=-0.2, y0=-0.2, x1=1, y1=1, line={"dash": "dot", "width": 1, "color": "#888"})
    return style_figure(figure, "paper", "ours")
