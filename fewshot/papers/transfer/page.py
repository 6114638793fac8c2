"""The report of `fewshot.papers.transfer.study`: our correlations and regressions beside the paper's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fewshot.papers.transfer import study
from fewshot.papers.transfer.study import NEAR, TABLE_3, Sample, Selection
from fewshot.reports.figures import styled
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.transfer.languages import FEATURES, SIZE

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


def page(found: Sequence[Sample], data: str) -> Page:
    """Return the report of samples, whose scores are from ``data``."""
    table = study.table(found)
    selections = [(sample, study.regress(sample)) for sample in found]
    near = _near(table)
    tables = [_correlations(found, table), _selections(selections), *([_differences(near)] if len(near) else [])]
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
    return Page("What zero-shot transfer goes with", _headline(near, table), shown, notes, facts)


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
    found = {key: value[0] for key, value in study.table_2().items() if key[:2] == ("mbert", task)}
    if not found:
        return "no such task"
    (encoder, _, feature), pearson = max(found.items(), key=lambda item: item[1])
    return f"{feature}, {pearson:.2f}, {encoder}"


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
        for kind, (pearson, spearman) in kinds.items():
            cells = [_pair(ours, name, pearson, spearman) for name in names]
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
        figures = (one.pearson, one.spearman, one.error, one.nested, one.mean)
        cells = ("–" if np.isnan(value) else f"{value:.2f}" for value in figures)
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
    return styled(figure, "predicted without the language (%)", "scored (%)")


def _beside(near: pd.DataFrame) -> go.Figure:
    figure = go.Figure()
    for feature in dict.fromkeys(near.feature):
        rows = near[near.feature == feature]
        hover = [f"{one.task}, {one.encoder}, {one.measure}" for one in rows.itertuples()]
        figure.add_scatter(x=rows.paper, y=rows.ours, text=hover, mode="markers", marker={"size": 9}, name=feature)
    figure.add_shape(type="line", x0=-0.2, y0=-0.2, x1=1, y1=1, line={"dash": "dot", "width": 1, "color": "#888"})
    return styled(figure, "paper", "ours")
