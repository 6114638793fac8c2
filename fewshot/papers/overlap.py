"""Do shared subwords help transfer? (Wu & Dredze 2019, section 5.4, Figure 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
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
from fewshot.experiments.executors.place import Place, this_process
from fewshot.experiments.source_data import read_train_file
from fewshot.papers.measurements import Cell, fill, scored, with_interval
from fewshot.papers.statistics import Correlation, pearson
from fewshot.progress import Report
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.source_choice.criteria import observed, subwords
from fewshot.tasks import base_name
from fewshot.tasks.base import metric_name
from fewshot.training import sources
from fewshot.training.model import read_description
from fewshot.transfer.scoring import TestSet, score_all, source_language, test_sets

TYPE, TOKEN = "p_type", "p_token"
MEASURES = {TYPE: "types observed (%)", TOKEN: "tokens observed (%)"}

PAPER = {"pos": True, "dep": True, "ner": True, "topic": True, "nli": False}
"""The paper's tasks, and whether it found a strong correlation, r > 0.5 with p < 0.05 (section 5.4)."""

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
    place: Place,
    folder: Path,
    report: Report,
    warn: Callable[[str], None],
) -> Page:
    """Measure subword overlap and zero-shot scores of the source models of tasks, and report how they go together.

    Raises:
        FewshotError: when a task has no source model, its training data are not there, or no language has a test set.
    """
    names = [tasks.get(name).name for name in names]
    encoder = load_encoder(model)
    source = source_language(names, encoder)
    langs = [lang for lang in langs if lang != source]
    wanted = test_sets(names, langs, DataFolders(data, langs, warn), mixed=False)
    if missing := [lang for lang in langs if not any(one.lang == lang for one in wanted)]:
        warn(f"no task has a test set in {', '.join(missing)}")
    if missing := [name for name in names if not any(one.task == name for one in wanted)]:
        warn(f"no language has a test set of {', '.join(missing)}")
    trained = {name: _trained(name, encoder, data) for name in dict.fromkeys(one.task for one in wanted)}
    scores = score_all(wanted, [encoder], place, folder, report)
    found = zip(wanted, scores, strict=True)
    table = fill(_cells(encoder, trained, list(found)), folder, this_process(place.device), report)
    facts = {
        "Source models": {name: f"{len(of)} {source} examples of {path}" for name, (path, of) in trained.items()},
        "Test sets": {f"{one.task} {one.lang}": str(one.examples.folder) for one in wanted},
        "Encoder": {"name": encoder.name, "device": place.device.type},
    }
    return page(table, facts)


def _trained(name: str, encoder: Encoder, data: Sequence[Path]) -> tuple[Path, Sequence[Any]]:
    """Find what the source model of a task was trained on, which its description names."""
    place = sources.find(tasks.get(name), encoder)
    corpora = sources.corpora(read_description(place) or {})
    if len(corpora) > 1:
        raise FewshotError(f"{place}: trained on several corpora; the overlap is that with one, see fewshot source")
    description = corpora[0]
    folder = Path(str(description.get("data", ""))).name
    for path in (inner / folder for inner in data if folder and (inner / folder).exists()):
        examples = read_train_file(path, tasks.get(name))
        if fingerprint(examples) == description.get("data_fingerprint"):
            return path, examples
    raise FewshotError(
        f"{place}: trained on {description.get('data', 'unknown data')}, and no folder of --data holds the same; "
        f"give the parent of that folder with --data, or train a source model on data that is there with fewshot source"
    )


def _cells(
    encoder: Encoder, trained: Mapping[str, tuple[Path, Sequence[Any]]], found: Sequence[tuple[TestSet, Result]]
) -> Iterator[Cell]:
    known: dict[str, Set[int]] = {}

    def measure(one: TestSet, result: Result, _: torch.device) -> list[dict[str, Any]]:
        task = tasks.get(one.task)
        if one.task not in known:
            known[one.task] = set(subwords(encoder, task, trained[one.task][1]))
        p_type, p_token = observed(known[one.task], subwords(encoder, task, one.examples.examples))
        return [{TYPE: p_type, TOKEN: p_token, "metric": result.metric, **scored(result)}]

    made_from = encoder.tokenizer_fingerprint
    for one, result in found:
        names = {"task": one.task, "lang": one.lang}
        yield Cell(names, [result.run, made_from], partial(measure, one, result))


def correlations(table: pd.DataFrame) -> dict[tuple[str, str], Correlation]:
    """Return Pearson's correlation of scores and each measure, by task and measure."""
    return {
        (str(task), measure): pearson(rows[measure].tolist(), rows["score"].tolist())
        for task, rows in table.groupby("task", sort=False)
        for measure in MEASURES
    }


def page(table: pd.DataFrame, facts: dict[str, dict[str, str]]) -> Page:
    """Return the report of measurements ``task, lang, p_type, p_token, metric, score, low, high``."""
    found = correlations(table)
    names = [str(name) for name in table["task"].unique()]
    strong = [name for name in names if all(_strong(found[name, measure]) for measure in MEASURES)]
    named = f" ({', '.join(strong)})" if strong else ""
    headline = (
        f"Zero-shot scores rise with the subwords shared with the source data (r > 0.5, p < 0.05, both measures) in "
        f"{len(strong)} of {len(names)} tasks{named}; in the paper in four of "
        "five, not in NLI (Wu & Dredze 2019, section 5.4, Figure 3)."
    )
    rows = [
        (
            tasks.get(name).title,
            str(found[name, TYPE].n),
            str(found[name, TYPE]),
            str(found[name, TOKEN]),
            {True: "r > 0.5, p < 0.05", False: "not so", None: "–"}[PAPER.get(base_name(name))],
        )
        for name in names
    ]
    columns = ("task", "languages", "r with types", "r with tokens", "paper, mBERT")
    correlated = Table("Pearson correlation of zero-shot score and observed subwords", columns, tuple(rows))
    figures = {f"Score by {title}": _figure(table, found, measure) for measure, title in MEASURES.items()}
    tables = [correlated, *(_scores(table, name) for name in names)]
    return Page("Subword overlap", headline, figures_and_tables(figures, tables), NOTES, facts)


def _strong(found: Correlation) -> bool:
    return found.r > 0.5 and found.p < 0.05


def _scores(table: pd.DataFrame, name: str) -> Table:
    rows = table[table["task"] == name].sort_values(TOKEN, ascending=False)
    lines = [
        (row["lang"], f"{row[TYPE]:.1f}", f"{row[TOKEN]:.1f}", with_interval(row["score"], row["low"], row["high"]))
        for row in rows.to_dict("records")
    ]
    return Table(
        tasks.get(name).title, ("language", *MEASURES.values(), metric_name(tasks.get(name).metric)), tuple(lines)
    )


def _figure(table: pd.DataFrame, found: dict[tuple[str, str], Correlation], measure: str) -> go.Figure:
    """Draw a scatter plot a task, three beside each other, the coefficient above it."""
    groups = list(table.groupby("task", sort=False))
    titles = [f"{tasks.get(str(name)).title}<br>r = {found[str(name), measure]}" for name, _ in groups]
    lines = -(-len(groups) // 3)
    figure = make_subplots(lines, min(3, len(groups)), subplot_titles=titles, vertical_spacing=0.45 / lines)
    for place, (_, rows) in enumerate(groups):
        points = {"x": rows[measure], "y": rows["score"], "text": rows["lang"], "mode": "markers+text"}
        figure.add_scatter(**points, textposition="top center", showlegend=False, row=place // 3 + 1, col=place % 3 + 1)
    style_figure(figure, MEASURES[measure], "").update_yaxes(title="score (%)", col=1)
    return figure.update_layout(height=60 + 360 * lines, margin={"b": 60}).update_annotations(font_size=13)
