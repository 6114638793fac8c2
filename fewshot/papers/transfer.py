"""Correlates of zero-shot scores (Lauscher et al. 2020, section 3.3).

Correlations of each feature with the scores (Table 2, in ``correlations.csv``), and a linear regression on features
chosen by a greedy search, evaluated on left-out languages (Table 3); the paper's figures stand beside ours.
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
from fewshot.transfer.scores import LanguageScore, groups

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

TOLERANCE = 0.05
"""Greatest distance from the paper's correlation at which ours counts as reproduced."""

REASONS = {
    "PHON": "URIEL has several; the paper does not say which",
    "INV": "URIEL has several; the paper does not say which",
    SIZE: "articles of 2020; the paper's are of 2018",
}
"""Known reasons for a difference to the paper, by feature."""

VISIBLE_SAMPLES = 3
"""Samples that the figure shows at first; the legend shows the others."""

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
    """A regression on the features that a greedy search chose.

    Args:
        shares: of the standardized coefficients of the features, without sign.
        predictions: ``[langs]``, of languages left out after the search, as in the paper.
        figures: Pearson and Spearman correlation of the predictions with the scores; mean absolute errors in points of
            the predictions, of predictions by a search that leaves out the language too, and of the other languages'
            mean.
    """

    features: tuple[str, ...]
    shares: tuple[float, ...]
    predictions: np.ndarray
    figures: tuple[float, ...]


def samples(scores: Sequence[LanguageScore], source: str) -> list[Sample]:
    """Return a sample for each encoder and task with zero-shot scores in enough languages.

    Raises:
        FewshotError: when every task has too few languages, or lang2vec lacks a language.
    """
    source = language(source)
    known = [
        regression.sample(encoder, task, by_lang, source)
        for (encoder, task), by_lang in groups(scores).items()
        if len(set(by_lang) - {source}) >= MIN_LANGUAGES
    ]
    if not known:
        raise FewshotError(f"no encoder has zero-shot scores of a task in {MIN_LANGUAGES} languages beside {source}")
    return known


def regress(sample: Sample) -> Selection:
    """Choose features and evaluate the regression on left-out languages (Table 3)."""
    chosen = regression.select(sample.x, sample.y)
    x, y = sample.x[:, chosen], sample.y
    predictions = regression.leave_one_out(x, y)
    evaluated = (predictions, regression.nested(sample.x, y), regression.leave_one_out(x[:, :0], y))
    errors = (regression.mean_error(predicted, y) for predicted in evaluated)
    return Selection(
        features=tuple(sample.features[column] for column in chosen),
        shares=tuple(regression.shares(x, y)) if chosen else (),
        predictions=predictions,
        figures=(pearson(predictions, y).r, spearman(predictions, y).r, *errors),
    )


@cache
def table_2() -> pd.DataFrame:
    """Return the paper's correlations: ``encoder, task, feature, paper_pearson, paper_spearman``."""
    read = pd.read_csv(Path(__file__).with_name("correlations.csv"))
    return read.rename(columns={"pearson": "paper_pearson", "spearman": "paper_spearman"})


def table(samples: Sequence[Sample]) -> pd.DataFrame:
    """Return a row for each feature: its correlation with the scores, and the paper's (Table 2).

    The columns ``pearson_targets`` and ``spearman_targets`` leave out the source language.
    """
    rows = []
    for sample in samples:
        targets = sample.targets
        for column, feature in enumerate(sample.features):
            names = {"encoder": sample.encoder, "task": sample.task, "feature": feature}
            row: dict[str, object] = {**names, "languages": len(sample.langs)}
            for end, data in (("", sample), ("_targets", targets)):
                x, y = data.x[:, column], data.y
                row |= {f"pearson{end}": pearson(x, y).r, f"spearman{end}": spearman(x, y).r}
            rows.append(row)
    return pd.DataFrame(rows).merge(table_2(), how="left", on=["encoder", "task", "feature"])


def page(samples: Sequence[Sample], data: str) -> Page:
    """Return the report of samples, whose scores are from ``data``."""
    correlations = table(samples)
    selections = [(sample, regress(sample)) for sample in samples]
    differences = _differences(correlations)
    tables = [_correlations(samples, correlations), _selections(selections)]
    figures = {"Zero-shot scores and what is predicted for a language that is left out": _predictions(selections)}
    if len(differences):
        tables.append(_far_table(differences))
        figures["Correlations here and in the paper"] = _ours_by_paper(differences)
    source = samples[0].source
    facts = {
        "Languages": {f"{sample.task}, {sample.encoder}": " ".join(sample.langs) for sample in samples},
        "Data": {"scores": data, "source language": source, "similarities": "lang2vec (Littell et al. 2017)"},
    }
    point = SOURCE if any(source in sample.langs for sample in samples) else NO_SOURCE
    notes, sections = [f"{POINTS} {point}", *NOTES], figures_and_tables(figures, tables)
    return Page("What zero-shot transfer goes with", _headline(differences, correlations), sections, notes, facts)


def _differences(table: pd.DataFrame) -> pd.DataFrame:
    rows = table.dropna(subset=["paper_pearson"])
    parts = [
        rows[["encoder", "task", "feature"]].assign(
            measure=measure, ours=rows[measure], paper=rows[f"paper_{measure}"].astype(float)
        )
        for measure in ("pearson", "spearman")
    ]
    both = pd.concat(parts)
    return both.assign(difference=both.ours - both.paper).dropna(subset=["difference"])


def _headline(differences: pd.DataFrame, table: pd.DataFrame) -> str:
    if table.pearson.isna().all():
        return "No feature varies with the scores"
    if len(differences):
        counted = differences[differences.feature.isin(("SYN", "FAM", "GEO", SIZE))]
        return (
            f"{_count_near(differences)} correlations with the paper's scores lie within {TOLERANCE} of its Table 2; "
            f"of SYN, FAM, GEO and SIZE {_count_near(counted)}, at most {counted.difference.abs().max():.2f} away"
        )
    best = table.iloc[int(table.pearson.abs().argmax())]
    paper = table_2()[(table_2().encoder == "mbert") & (table_2().task == best.task)]
    theirs = "no such task"
    if len(paper):
        highest = paper.iloc[int(paper.paper_pearson.argmax())]
        theirs = f"{highest.feature}, {highest.paper_pearson:.2f}, mbert"
    return (
        f"{best.feature} goes with zero-shot {best.task} scores of {best.encoder} most: Pearson {best.pearson:.2f} "
        f"over {best.languages} languages (Lauscher et al. 2020, Table 2: {theirs})"
    )


def _count_near(differences: pd.DataFrame) -> str:
    parts = []
    for measure in ("pearson", "spearman"):
        rows = differences[differences.measure == measure]
        parts.append(f"{(rows.difference.abs() <= TOLERANCE).sum()} of {len(rows)} {measure.capitalize()}")
    return " and ".join(parts)


def _correlations(samples: Sequence[Sample], table: pd.DataFrame) -> Table:
    names = [*FEATURES, *([SIZE] if (table.feature == SIZE).any() else [])]
    rows = []
    for sample in samples:
        ours = table[(table.encoder == sample.encoder) & (table.task == sample.task)].set_index("feature")
        ends = {f"{len(sample.langs)} languages": "{}", "paper": "paper_{}"}
        if sample.source in sample.langs:
            ends[f"without {sample.source}"] = "{}_targets"
        for over, column in ends.items():
            pairs = ours.reindex(names)[[column.format("pearson"), column.format("spearman")]].to_numpy(float)
            cells = ["" if np.isnan(pair).any() else f"{pair[0]:+.2f} {pair[1]:+.2f}" for pair in pairs]
            if any(cells):
                rows.append((sample.task, sample.encoder, over, *cells))
    title = "Correlations with zero-shot scores: Pearson, Spearman (paper: Lauscher et al. 2020, Table 2)"
    return Table(title, ("task", "encoder", "over", *names), tuple(rows))


def _selections(selections: Sequence[tuple[Sample, Selection]]) -> Table:
    rows = []
    for sample, chosen in selections:
        weights = ", ".join(f"{name} {share:.2f}" for name, share in zip(chosen.features, chosen.shares, strict=True))
        cells = ("–" if np.isnan(value) else f"{value:.2f}" for value in chosen.figures)
        rows.append((sample.task, sample.encoder, weights or "none", *cells))
        if paper := TABLE_3.get((sample.encoder, sample.task)):
            features, *values = paper
            rows.append((sample.task, "  paper", features, *(f"{value:.2f}" for value in values), "", ""))
    columns = ("task", "encoder", "features", "Pearson", "Spearman", "error", "nested error", "error of the mean")
    title = "Predicting a left-out language; errors in points (paper: Lauscher et al. 2020, Table 3)"
    return Table(title, columns, tuple(rows))


def _far_table(differences: pd.DataFrame) -> Table:
    rows = []
    for row in differences[differences.difference.abs() > TOLERANCE].itertuples():
        name = f"{row.task} {row.encoder}: {row.feature} {row.measure}"
        rows.append((name, f"{row.ours:.2f}, paper {row.paper:.2f}", REASONS.get(str(row.feature), "not known")))
    return Table(f"More than {TOLERANCE} from the paper", ("correlation", "ours", "why"), tuple(rows))


def _predictions(selections: Sequence[tuple[Sample, Selection]]) -> go.Figure:
    figure = go.Figure()
    for number, (sample, chosen) in enumerate(selections):
        figure.add_scatter(
            x=chosen.predictions,
            y=sample.y,
            text=sample.langs,
            mode="markers+text",
            marker={"size": 9},
            textposition="top center",
            name=f"{sample.task}, {sample.encoder}",
            visible=True if number < VISIBLE_SAMPLES else "legendonly",
        )
    figure.add_shape(type="line", x0=0, y0=0, x1=100, y1=100, line={"dash": "dot", "width": 1, "color": "#888"})
    return style_figure(figure, "predicted without the language (%)", "scored (%)")


def _ours_by_paper(differences: pd.DataFrame) -> go.Figure:
    figure = go.Figure()
    for feature in dict.fromkeys(differences.feature):
        rows = differences[differences.feature == feature]
        hover = [f"{row.task}, {row.encoder}, {row.measure}" for row in rows.itertuples()]
        figure.add_scatter(x=rows.paper, y=rows.ours, text=hover, mode="markers", marker={"size": 9}, name=feature)
    figure.add_shape(type="line", x0=-0.2, y0=-0.2, x1=1, y1=1, line={"dash": "dot", "width": 1, "color": "#888"})
    return style_figure(figure, "paper", "ours")
