"""Do shared subwords help transfer? (Wu & Dredze 2019, section 5.4, Figure 3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import torch
from plotly.subplots import make_subplots

from fewshot import tasks
from fewshot.corpora.load import fingerprint
from fewshot.curves.results import Result
from fewshot.encoders.load import Encoder, load_encoder
from fewshot.errors import FewshotError
from fewshot.experiments.data_folders import DataFolders
from fewshot.experiments.executors.place import this_process
from fewshot.experiments.source_data import read_train_file
from fewshot.papers.measurements import Measurement, StudyRun, fill, score_columns, with_interval
from fewshot.papers.statistics import Correlation, pearson
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.source_choice.criteria import observed, subwords
from fewshot.tasks import base_name
from fewshot.tasks.base import metric_name
from fewshot.training import sources
from fewshot.training.description import read_description
from fewshot.transfer.scoring import TestSet, score_all, source_language, test_sets

TYPE, TOKEN = "p_type", "p_token"
MEASURES = {TYPE: "types observed (%)", TOKEN: "tokens observed (%)"}

PAPER_IS_STRONG = {"pos": True, "dep": True, "ner": True, "topic": True, "nli": False}
"""Whether the paper reports a strong correlation, r > 0.5 with p < 0.05, for each of its tasks (section 5.4)."""

NOTES = (
    "p_type: percentage of the subwords (word pieces) of a language's test set that occur in the data which the source "
    "model was trained on. p_token: the same, each subword counted as often as it occurs in the test set.",
    "Correlations are Pearson's, over languages; the source language is no point of them, since the paper speaks of "
    "target languages. Intervals are 95% (Fisher's z), p is two-sided.",
    "Scores are those of one source model a task, zero-shot, and their intervals are over test examples (bootstrap). "
    "Languages differ in much else than subwords, and in test sets: a correlation is no proof of a cause.",
    "The paper prints its coefficients in Figure 3 only; its text says that they are above 0.5 with p < 0.05 in "
    "document classification, NER, POS tagging and parsing, and not in NLI. It has no question answering.",
)


def analyse(
    names: Sequence[str],
    langs: Sequence[str],
    model: str,
    data: Sequence[Path],
    run: StudyRun,
) -> Page:
    """Measure subword overlap and zero-shot scores of source models, and report their correlation.

    Raises:
        FewshotError: when a task has no source model, its training data are missing, or no language has a test set.
    """
    names = [tasks.get(name).name for name in names]
    encoder = load_encoder(model)
    source = source_language(names, encoder)
    langs = [lang for lang in langs if lang != source]
    wanted = test_sets(names, langs, DataFolders(data, langs, run.warn), mixed=False)
    if missing := [lang for lang in langs if not any(test.lang == lang for test in wanted)]:
        run.warn(f"no task has a test set in {', '.join(missing)}")
    if missing := [name for name in names if not any(test.task == name for test in wanted)]:
        run.warn(f"no language has a test set of {', '.join(missing)}")
    trained = {name: _training_data(name, encoder, data) for name in dict.fromkeys(test.task for test in wanted)}
    results = score_all(wanted, [encoder], run.place, run.folder, run.report)
    cells = _cells(encoder, trained, zip(wanted, results, strict=True))
    facts = {
        "Source models": {
            name: f"{len(examples)} {source} examples of {path}" for name, (path, examples) in trained.items()
        },
        "Test sets": {f"{test.task} {test.lang}": str(test.examples.folder) for test in wanted},
        "Encoder": {"name": encoder.name, "device": run.place.device.type},
    }
    return page(fill(cells, replace(run, place=this_process(run.place.device))), facts)


def _training_data(name: str, encoder: Encoder, data: Sequence[Path]) -> tuple[Path, Sequence[Any]]:
    place = sources.find(tasks.get(name), encoder)
    corpora = sources.corpora(read_description(place) or {})
    if len(corpora) > 1:
        raise FewshotError(
            f"{place}: the model was trained on several corpora, and overlap is measured with one; train a model on "
            "one corpus with fewshot source"
        )
    description = corpora[0]
    folder = Path(str(description.get("data", ""))).name
    for path in (parent / folder for parent in data if folder and (parent / folder).exists()):
        examples = read_train_file(path, tasks.get(name))
        if fingerprint(examples) == description.get("data_fingerprint"):
            return path, examples
    raise FewshotError(
        f"{place}: the model was trained on {description.get('data', 'unknown data')}, and no folder of --data holds "
        "the same data; give the parent of that folder with --data, or train a source model with fewshot source"
    )


def _cells(
    encoder: Encoder, trained: Mapping[str, tuple[Path, Sequence[Any]]], scored: Iterable[tuple[TestSet, Result]]
) -> Iterator[Measurement]:
    @cache
    def trained_subwords(name: str) -> Set[int]:
        return set(subwords(encoder, tasks.get(name), trained[name][1]))

    def measure(test: TestSet, result: Result, _: torch.device) -> list[dict[str, Any]]:
        tested = subwords(encoder, tasks.get(test.task), test.examples.examples)
        p_type, p_token = observed(trained_subwords(test.task), tested)
        return [{TYPE: p_type, TOKEN: p_token, "metric": result.metric, **score_columns(result)}]

    for test, result in scored:
        names = {"task": test.task, "lang": test.lang}
        yield Measurement(names, [result.run, encoder.tokenizer_fingerprint], partial(measure, test, result))


def correlations(table: pd.DataFrame) -> dict[tuple[str, str], Correlation]:
    """Return Pearson's correlation of the scores and each measure, by task and measure."""
    return {
        (str(task), measure): pearson(rows[measure].tolist(), rows["score"].tolist())
        for task, rows in table.groupby("task", sort=False)
        for measure in MEASURES
    }


def page(table: pd.DataFrame, facts: dict[str, dict[str, str]]) -> Page:
    """Return the report of measurements ``task, lang, p_type, p_token, metric, score, low, high``."""
    by_measure = correlations(table)
    names = [str(name) for name in table["task"].unique()]
    strong = [
        name
        for name in names
        if all(by_measure[name, measure].r > 0.5 and by_measure[name, measure].p < 0.05 for measure in MEASURES)
    ]
    named = f" ({', '.join(strong)})" if strong else ""
    headline = (
        f"Zero-shot scores rise with the subwords shared with the source data (r > 0.5, p < 0.05, both measures) in "
        f"{len(strong)} of {len(names)} tasks{named}; in the paper in four of "
        "five, not in NLI (Wu & Dredze 2019, section 5.4, Figure 3)."
    )
    rows = []
    for name in names:
        paper = {True: "r > 0.5, p < 0.05", False: "not so", None: "–"}[PAPER_IS_STRONG.get(base_name(name))]
        types, tokens = by_measure[name, TYPE], by_measure[name, TOKEN]
        rows.append((tasks.get(name).title, str(types.n), str(types), str(tokens), paper))
    columns = ("task", "languages", "r with types", "r with tokens", "paper, mBERT")
    correlated = Table("Pearson correlation of zero-shot score and observed subwords", columns, tuple(rows))
    figures = {f"Score by {title}": _figure(table, by_measure, measure) for measure, title in MEASURES.items()}
    tables = [correlated, *(_scores(table, name) for name in names)]
    return Page("Subword overlap", headline, figures_and_tables(figures, tables), NOTES, facts)


def _scores(table: pd.DataFrame, name: str) -> Table:
    rows = table[table["task"] == name].sort_values(TOKEN, ascending=False)
    lines = [
        (row["lang"], f"{row[TYPE]:.1f}", f"{row[TOKEN]:.1f}", with_interval(row["score"], row["low"], row["high"]))
        for row in rows.to_dict("records")
    ]
    task = tasks.get(name)
    return Table(task.title, ("language", *MEASURES.values(), metric_name(task.metric)), tuple(lines))


def _figure(table: pd.DataFrame, by_measure: dict[tuple[str, str], Correlation], measure: str) -> go.Figure:
    groups = list(table.groupby("task", sort=False))
    titles = [f"{tasks.get(str(name)).title}<br>r = {by_measure[str(name), measure]}" for name, _ in groups]
    lines = -(-len(groups) // 3)
    figure = make_subplots(lines, min(3, len(groups)), subplot_titles=titles, vertical_spacing=0.45 / lines)
    for place, (_, rows) in enumerate(groups):
        points = {"x": rows[measure], "y": rows["score"], "text": rows["lang"], "mode": "markers+text"}
        figure.add_scatter(**points, textposition="top center", showlegend=False, row=place // 3 + 1, col=place % 3 + 1)
    style_figure(figure, MEASURES[measure], "").update_yaxes(title="score (%)", col=1)
    return figure.update_layout(height=60 + 360 * lines, margin={"b": 60}).update_annotations(font_size=13)
