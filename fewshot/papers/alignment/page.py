"""The report of `fewshot.papers.alignment.study`: similarities by layer, gaps and their correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from fewshot import tasks
from fewshot.curves.plots import PALETTE
from fewshot.papers.statistics import MIN_LANGUAGES, Correlation, spearman
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.tasks import base_name
from fewshot.tasks.base import metric_name

PRETRAINED, FINE_TUNED, UNTRAINED = "pretrained", "fine-tuned", "untrained"
KINDS = (FINE_TUNED, PRETRAINED, UNTRAINED)

PAPER = {"dep": ("0.76", "0.79"), "pos": ("0.74", "0.82"), "ner": ("0.47", "0.43")}
"""Spearman correlations of the fine-tuned and the pretrained mBERT, 17 languages (Muller et al. 2021, Table 4)."""

Similarities = Mapping[str, "pd.Series[float]"]
"""Similarity by language, under the state of the encoder."""

Correlations = Mapping[tuple[str, str], Correlation]
"""By task and kind of encoder."""

NOTES = (
    "Similarity is linear CKA with centered columns (Kornblith et al. 2019) between the vectors of sentences and of "
    "their translations. A vector is the mean over the pieces of a sentence but the special ones; layer 0 is the "
    "embeddings. 1 is the same up to rotation, shift and factor. What is independent does not come to 0 unless there "
    "are far more sentences than dimensions; debiased CKA does (unbiased HSIC, Song et al. 2012).",
    "Untrained: the same architecture with random weights, mean over its seeds; a control of ours. What is alike there "
    "is what translations share on the surface: how long they are, through random position embeddings, and names, "
    "numbers, punctuation. So its similarity can be above that of a pretrained encoder. Of an encoder whose layers are "
    "random until it is fine-tuned, only the embeddings are pretrained.",
    "The cross-lingual gap is the score of the source language minus that of the target language. Correlations are "
    "Spearman's, over languages, of the similarity averaged over all layers but the embeddings and of the gap with its "
    "sign turned, so that a positive one means: better aligned, better transfer. The paper prints positive figures for "
    "that finding. Their p is two-sided, by permutation; of fewer than "
    f"{MIN_LANGUAGES} languages there is none.",
    "Source models are one training each. Where test sets are no translations, languages differ in domain too.",
)


def page(table: pd.DataFrame, gaps: pd.DataFrame, source: str, facts: dict[str, dict[str, str]]) -> Page:
    """Return the report of ``encoder, task, seed, lang, layer, cka, debiased``, and of `study.gaps`."""
    table = table.assign(state=[_state(str(row.encoder), str(row.task)) for row in table.itertuples()])
    by_state = table[table["layer"] > 0].groupby("state", sort=False)
    means = {str(state): rows.groupby("lang", sort=False)["cka"].mean() for state, rows in by_state}
    names = [str(name) for name in gaps["task"].unique()]
    by_kind = {(name, kind): correlation(means[_state(kind, name)], gaps, name) for name in names for kind in KINDS}
    tables = [
        _layers(table, "cka", f"CKA of {source} sentences and their translations, mean over languages [least, most]"),
        _layers(table, "debiased", "The same, debiased CKA"),
        _languages(means, gaps, names),
        _correlations(by_kind, names),
    ]
    figures = {
        "Similarity by layer, mean over languages": _similarity(table),
        "Gap by similarity, fine-tuned": _scatter(means, gaps, names, by_kind),
        "Correlation with transfer, by layer": _by_layer(table, gaps, names),
    }
    headline, sections = _headline(means, by_kind, names), figures_and_tables(figures, tables)
    return Page("Cross-lingual alignment", headline, sections, NOTES, facts)


def correlation(similarity: pd.Series[float], gaps: pd.DataFrame, task: str) -> Correlation:
    """Return Spearman's correlation of the similarity of each language and the negated gap of a task."""
    both = gaps[gaps["task"] == task].set_index("lang").join(similarity.rename("similarity"), how="inner")
    return spearman(both["similarity"].tolist(), (-both["gap"]).tolist())


def _state(encoder: str, task: str) -> str:
    return f"{encoder}, {task}" if encoder == FINE_TUNED else encoder


def _headline(means: Similarities, by_kind: Correlations, names: Sequence[str]) -> str:
    tuned = [means[_state(FINE_TUNED, name)].mean() for name in names]
    ours = ", ".join(f"{name} {by_kind[name, FINE_TUNED]} (n = {by_kind[name, FINE_TUNED].n})" for name in names)
    theirs = ", ".join(f"{name} {PAPER[base][0]}" for name in names if (base := base_name(name)) in PAPER)
    paper = f"the paper's, of mBERT: {theirs} (n = 17; Muller et al. 2021, Table 4)" if theirs else "none in the paper"
    return (
        f"Mean CKA of translations is {min(tuned):.2f} to {max(tuned):.2f} in fine-tuned encoders, "
        f"{means[PRETRAINED].mean():.2f} in the pretrained and {means[UNTRAINED].mean():.2f} in untrained ones; its "
        f"correlation with transfer, fine-tuned: {ours}; {paper}."
    )


def _layers(table: pd.DataFrame, column: str, title: str) -> Table:
    by_lang = table.groupby(["layer", "state", "lang"], sort=False)[column].mean()
    over_langs = by_lang.groupby(["layer", "state"], sort=False).agg(["mean", "min", "max"])
    states = list(dict.fromkeys(table["state"]))
    cells = {key: f"{row['mean']:.2f} [{row['min']:.2f}, {row['max']:.2f}]" for key, row in over_langs.iterrows()}
    rows = [(str(layer), *(cells[layer, state] for state in states)) for layer in sorted(set(table["layer"]))]
    return Table(title, ("layer", *states), tuple(rows))


def _languages(means: Similarities, gaps: pd.DataFrame, names: Sequence[str]) -> Table:
    by_task = gaps.set_index(["task", "lang"])["gap"]
    rows = []
    for lang in means[PRETRAINED].sort_values(ascending=False).index:
        points = [f"{by_task[name, lang]:.1f}" if (name, lang) in by_task else "" for name in names]
        rows.append((str(lang), *(f"{mean[lang]:.2f}" for mean in means.values()), *points))
    columns = ("language", *means, *(f"gap {name} ({metric_name(tasks.get(name).metric)})" for name in names))
    return Table("CKA, mean over layers 1 and up, and cross-lingual gap in points", columns, tuple(rows))


def _correlations(by_kind: Correlations, names: Sequence[str]) -> Table:
    rows = []
    for name in names:
        cells = [str(by_kind[name, kind]) for kind in KINDS]
        published = PAPER.get(base_name(name), ("", ""))
        rows.append((tasks.get(name).title, str(by_kind[name, FINE_TUNED].n), *cells, *published))
    columns = ("task", "languages", *KINDS, "paper, fine-tuned", "paper, pretrained")
    return Table("Spearman correlation of similarity and transfer", columns, tuple(rows))


def _similarity(table: pd.DataFrame) -> go.Figure:
    figure = go.Figure()
    for state, rows in table.groupby("state", sort=False):
        mean = rows.groupby("layer")["cka"].mean()
        dash = "dot" if state == UNTRAINED else "solid"
        figure.add_scatter(x=mean.index, y=mean, name=str(state), line={"dash": dash})
    return style_figure(figure, "layer (0: embeddings)", "CKA").update_xaxes(dtick=1)


def _scatter(means: Similarities, gaps: pd.DataFrame, names: Sequence[str], by_kind: Correlations) -> go.Figure:
    titles = [f"{tasks.get(name).title}<br>ρ = {by_kind[name, FINE_TUNED]}" for name in names]
    figure = make_subplots(1, len(names), subplot_titles=titles)
    style = {"mode": "markers+text", "textposition": "top center", "marker": {"color": PALETTE[0]}}
    for column, name in enumerate(names, start=1):
        rows = gaps[gaps["task"] == name]
        x = [means[_state(FINE_TUNED, name)][lang] for lang in rows["lang"]]
        figure.add_scatter(x=x, y=rows["gap"], text=rows["lang"], showlegend=False, row=1, col=column, **style)
    style_figure(figure, "CKA, mean over layers", "").update_yaxes(title="gap (points)", col=1)
    return figure.update_layout(margin={"b": 60}).update_annotations(font_size=13)


def _by_layer(table: pd.DataFrame, gaps: pd.DataFrame, names: Sequence[str]) -> go.Figure:
    figure = go.Figure()
    for colour, name in zip(PALETTE, names, strict=False):
        for kind, dash in ((FINE_TUNED, "solid"), (PRETRAINED, "dash")):
            layers = table[table["state"] == _state(kind, name)].groupby("layer")
            values = {layer: correlation(rows.groupby("lang")["cka"].mean(), gaps, name).r for layer, rows in layers}
            line = {"dash": dash, "color": colour}
            figure.add_scatter(x=list(values), y=list(values.values()), name=f"{name}, {kind}", line=line)
    style_figure(figure, "layer (0: embeddings)", "Spearman's ρ").update_xaxes(dtick=1)
    return figure.update_yaxes(range=[-1.05, 1.05])
