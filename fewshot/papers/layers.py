"""Which layers of an encoder to keep as they are in fine-tuning (Wu & Dredze 2019, section 5.2, Figure 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from fewshot.encoders import freezing
from fewshot.errors import FewshotError
from fewshot.papers.fine_tuning import (
    CROSS,
    NOTE,
    FineTuningStudy,
    Mean,
    Transfer,
    Variant,
    difference,
    doubts,
    facts,
    lines_of,
    measure,
    score,
)
from fewshot.progress import Report
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.tasks import base_name
from fewshot.training.recipe import ALL_TRAINED, FEATURE_BASED

PAPERS = 12
"""Layers of the paper's encoder, mBERT."""

KEPT = (0, 3, 6, 9)
"""Bottom layers that the paper freezes, beside the embeddings."""

BEST = {"pos": 3, "dep": 3, "ner": 3, "nli": 6, "topic": 6}
"""Which of `KEPT` gains most in the paper: 3 for word-level tasks, 6 for sentence-level ones."""

EVERYTHING = Variant("all trained", ALL_TRAINED)

NOTES = (
    "n is the highest layer that is frozen, with all below it; 0 are the embeddings. The feature-based model freezes "
    "the whole encoder and reads a learned mix of its layers with an LSTM of two layers.",
    "Languages stand in the order of their scores with everything trained, as in the paper's Figure 1. That figure "
    "prints its numbers in the image alone; what the text of section 5.2 says of it stands beside ours.",
    "The paper fine-tunes 3 or 4 epochs on all data, and its feature-based model until a development score stops "
    "rising; here all are trained for the same number of updates, and the rate falls linearly.",
)


def scaled(depth: int) -> list[int]:
    """Return the paper's numbers of frozen layers for an encoder of another depth, rounded down."""
    return list(dict.fromkeys(depth * bottom // PAPERS for bottom in KEPT))


def variants(depth: int, bottoms: Sequence[int]) -> list[Variant]:
    """Return the ways to train: everything, with so many bottom layers frozen (none: `scaled`), and feature-based.

    Raises:
        FewshotError: when the encoder has fewer layers.
    """
    chosen = list(dict.fromkeys(bottoms)) or scaled(depth)
    if bad := [bottom for bottom in chosen if bottom > depth]:
        raise FewshotError(f"--frozen {bad[0]}: the encoder has {depth} layers; give numbers from 0 to {depth}")
    frozen = [Variant(f"n = {bottom}", f"freeze-{bottom}") for bottom in chosen]
    return [EVERYTHING, *frozen, Variant(FEATURE_BASED, FEATURE_BASED)]


def analyse(study: FineTuningStudy, bottoms: Sequence[int], folder: Path, report: Report) -> Page:
    """Fine-tune with each bottom frozen, score every language, and report the differences to training everything."""
    depth = len(freezing.layers(study.encoder.module))
    chosen = variants(depth, bottoms)
    table = measure(study, chosen, folder, report)
    parts = [_Part(transfer, lines_of(table, transfer), chosen[1:]) for transfer in study.transfers]
    parts = [part for part in parts if part.others]
    figures = {f"{part.title}: difference to training everything": part.figure() for part in parts}
    return Page(
        "Frozen layers, after Wu & Dredze 2019, section 5.2",
        " ".join([_headline(parts, depth), *doubts(study.encoder)]),
        figures_and_tables(figures, [_best(parts, depth), *(part.by_test_set() for part in parts)]),
        (*NOTES, NOTE),
        facts(study, table),
    )


class _Part:
    """What was found of one task and source language."""

    def __init__(self, transfer: Transfer, table: pd.DataFrame, variants: Sequence[Variant]) -> None:
        self.task, self.source, self.variants = transfer.task, transfer.source, variants
        self.title = f"{transfer.task.score_label}, trained on {transfer.source}"
        groups = [(str(name), lines) for name, lines in table.groupby("test", sort=False)]
        near = [group for group in groups if group[1].relation.iloc[0] != CROSS]
        far = [group for group in groups if group[1].relation.iloc[0] == CROSS]
        self.rows = near + sorted(far, key=lambda group: -score(group[1], EVERYTHING.name).value)
        self.others = len(far)
        self.cross = table[table.relation == CROSS]

    def gain(self, variant: Variant) -> Mean:
        """Return the difference in the mean of the other languages."""
        return difference(self.cross, variant.name, EVERYTHING.name)

    def best(self) -> Variant:
        """Return the frozen bottom that gains most."""
        return max((v for v in self.variants if v.method != FEATURE_BASED), key=lambda v: self.gain(v).value)

    def by_test_set(self) -> Table:
        columns = ("test set", "language", EVERYTHING.name, *(variant.name for variant in self.variants))
        return Table(self.title, columns, tuple(self._lines()))

    def _lines(self) -> Iterator[tuple[str, ...]]:
        for name, lines in [*self.rows, (f"mean of {self.others} other languages", self.cross)]:
            lang = str(lines.lang.iloc[0]) if lines is not self.cross else ""
            gains = (difference(lines, variant.name, EVERYTHING.name) for variant in self.variants)
            yield name, lang, f"{score(lines, EVERYTHING.name)}", *(f"{gain:+}" for gain in gains)

    def figure(self) -> go.Figure:
        drawn = go.Figure()
        for variant in self.variants:
            gains = [difference(lines, variant.name, EVERYTHING.name) for _, lines in self.rows]
            values = [gain.value for gain in gains]
            error = {"type": "data", "array": [gain.high - gain.value for gain in gains], "thickness": 1}
            drawn.add_bar(name=variant.name, x=[name for name, _ in self.rows], y=values, error_y=error)
        return style_figure(drawn, "test set", "points").update_layout(barmode="group")


def _best(parts: Sequence[_Part], depth: int) -> Table:
    columns = ("task", "trained on", "best of ours", "points, other languages", FEATURE_BASED, "best of the paper's")
    rows = []
    for part in parts:
        paper = BEST.get(base_name(part.task.name))
        best, features = part.best(), part.variants[-1]
        gains = f"{part.gain(best):+}", f"{part.gain(features):+}"
        theirs = f"n = {paper} of {PAPERS}" if paper else ""
        rows.append((part.task.name, part.source, f"{best.name} of {depth}", *gains, theirs))
    return Table("Which bottom is best frozen (differences to training everything)", columns, tuple(rows))


def _headline(parts: Sequence[_Part], depth: int) -> str:
    found = "; ".join(
        f"{part.task.name} from {part.source} {part.best().name} of {depth} by {part.gain(part.best()):+} points "
        f"({FEATURE_BASED} {part.gain(part.variants[-1]):+})"
        for part in parts
    )
    return (
        f"Best bottom n to freeze, against training everything, in the mean of the other languages: {found}; in the "
        f"paper (mBERT, section 5.2, Figure 1) freezing helps in all tasks, most n = 3 of {PAPERS} for words and n = 6 "
        f"for sentences, and {FEATURE_BASED} is below fine-tuning in each."
    )
