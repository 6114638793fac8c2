"""Which pretrained layers carry cross-lingual transfer (Muller et al. 2021, section 2.1, tables 1, 2, 5 to 8).

Layers are re-initialised before the encoder is fine-tuned. What that costs in the source language says how much the
task needs their pretraining; what it costs in other languages says how much transfer needs it.

``muller.csv`` holds the figures of mBERT, a line for each task, source language and what is scored: the score of the
reference, and the differences to it of pairs of layers (tables 1, 2, 6 to 8) and of all layers (table 5). What is
scored is a language, the mean of the others as the paper prints it, or another domain; lines that the text of the paper
has lost are missing.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fewshot.curves.plots import PALETTE
from fewshot.encoders import freezing
from fewshot.errors import FewshotError
from fewshot.papers.fine_tuning import (
    CROSS,
    DOMAIN,
    NOTE,
    SAME,
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

LAYERS = 12
"""Layers of the paper's encoder, mBERT."""

PAIRS = tuple((low, low + 1) for low in range(1, LAYERS, 2))
"""Layers that the paper re-initialises together."""

NONE = Variant("none", "full")

RELATIONS = (SAME, DOMAIN, CROSS)

NOTES = (
    "First line: scores of the untouched encoder, fine-tuned. Other lines: differences to it. Other languages are a "
    "mean, of each language one test set.",
    "The paper's figures are of mBERT (12 layers), tables 1, 2 and, for all layers, 5; beside ours stand those of its "
    "pairs of layers at the same share of the depth, a range where there are several pairs, or several domains. Its "
    "encoder was fine-tuned 6 to 15 epochs on whole treebanks.",
    "Another domain is the control of the paper's table 2: the same language in another collection. If transfer to "
    "another domain suffers as transfer to other languages does, layers are not specific to languages.",
    "Re-initialised layers get the random weights that the architecture starts pretraining from. The embeddings are "
    "pretrained in all lines, and of encoders narrower than 768 they stay as they are in fine-tuning.",
)


@cache
def _lines() -> list[dict[str, str]]:
    with Path(__file__).with_name("muller.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def matching(layers: Sequence[int], depth: int) -> list[tuple[int, int]]:
    """Return the pairs whose middle is among the layers of an encoder, by their share of its depth.

    Where no middle is among them, the pair that holds theirs.
    """
    low, high = (layers[0] - 1) * LAYERS / depth, layers[-1] * LAYERS / depth
    found = [(first, last) for first, last in PAIRS if low < first <= high]
    return found or [next(pair for pair in PAIRS if (low + high) / 2 <= pair[1])]


def span(layers: Sequence[int], depth: int) -> str:
    """Return the name of the paper's layers that stand beside some of an encoder: ``1-2``, ``1-6``."""
    pairs = matching(layers, depth)
    return f"{pairs[0][0]}-{pairs[-1][1]}"


def deltas(task: str, source: str, test: str, layers: Sequence[int], depth: int) -> list[float]:
    """Return the paper's differences in points, one for each pair of layers and domain; none where it has no figure.

    Args:
        task: name without options.
        test: one of `RELATIONS`, or the code of a language.
    """
    pairs = ["all"] if len(layers) == depth else [f"{low}-{high}" for low, high in matching(layers, depth)]
    found = [line for line in _lines() if (line["task"], line["source"], line["test"]) == (task, source, test)]
    return [float(line[pair]) for line in found for pair in pairs if line[pair]]


def groups(depth: int) -> list[tuple[int, ...]]:
    """Return consecutive layers, a sixth of the encoder each like the paper's pairs of 12, and all layers together."""
    sixths = np.array_split(np.arange(1, depth + 1), min(len(PAIRS), depth))
    return list(dict.fromkeys([*(tuple(part.tolist()) for part in sixths), tuple(range(1, depth + 1))]))


def chosen(text: str, depth: int) -> list[tuple[int, ...]]:
    """Read which layers are re-initialised together: ``groups``, ``single``, or a list such as ``1,2,1-4``.

    Raises:
        FewshotError: when it is none of these, or the encoder has no such layer.
    """
    if text == "groups":
        return groups(depth)
    if text == "single":
        return [(number,) for number in range(1, depth + 1)]
    found = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= depth:
            raise FewshotError(
                f"--layers {part.strip()!r}: the encoder has layers 1 to {depth}; write groups, single, or e.g. "
                f"1,1-{depth}"
            )
        found.append(tuple(range(first, last + 1)))
    return list(dict.fromkeys(found))


def variant(layers: tuple[int, ...]) -> Variant:
    """Return the fine-tuning of an encoder with some layers re-initialised."""
    name = f"{layers[0]}-{layers[-1]}" if len(layers) > 1 else f"{layers[0]}"
    return Variant(name, NONE.method, layers)


def analyse(study: FineTuningStudy, layers: str, folder: Path, report: Report) -> Page:
    """Fine-tune with layers re-initialised, and report the differences to the untouched encoder."""
    depth = len(freezing.layers(study.encoder.module))
    variants = [variant(group) for group in chosen(layers, depth)]
    table = measure(study, [NONE, *variants], folder, report)
    parts = [_Part(transfer, lines_of(table, transfer), variants, depth) for transfer in study.transfers]
    names = list(dict.fromkeys(part.task.name for part in parts))
    by_task = [[part for part in parts if part.task.name == name] for name in names]
    figures = {f"{part.title}: difference to the untouched encoder": part.figure() for part in parts}
    return Page(
        "Randomly re-initialised layers, after Muller et al. 2021",
        " ".join([_headline([alike[0] for alike in by_task]), *doubts(study.encoder)]),
        figures_and_tables(figures, [*map(_table_1, by_task), *(part.by_test_set() for part in parts)]),
        (*NOTES, NOTE),
        facts(study, table),
    )


class _Part:
    """What was found of one task and source language."""

    def __init__(self, transfer: Transfer, table: pd.DataFrame, variants: Sequence[Variant], depth: int) -> None:
        self.task, self.source, self.variants, self.depth = transfer.task, transfer.source, variants, depth
        self.title = f"{transfer.task.score_label}, trained on {transfer.source}"
        self.table = table
        self.by_relation = {name: lines for name in RELATIONS if len(lines := table[table.relation == name])}

    def delta(self, variant: Variant, relation: str) -> Mean | None:
        """Return the difference to the untouched encoder in the mean over test sets; None where there are none."""
        lines = self.by_relation.get(relation)
        return None if lines is None else difference(lines, variant.name, NONE.name)

    def paper(self, variant: Variant, test: str) -> list[float]:
        """Return the paper's figures for the same share of the depth."""
        return deltas(base_name(self.task.name), self.source, test, variant.layers, self.depth)

    def lines(self) -> Iterator[tuple[str, ...]]:
        """Yield the lines of the paper's table 1."""
        starts = [self.by_relation.get(name) for name in RELATIONS]
        shown = ["" if lines is None else f"{score(lines, NONE.name)}" for lines in starts]
        yield self.source, NONE.name, "", *shown, "", "", ""
        for one in self.variants:
            ours = [self.delta(one, name) for name in RELATIONS]
            paper = [_range(self.paper(one, name)) for name in RELATIONS]
            pairs = span(one.layers, self.depth) if any(paper) else ""
            yield self.source, one.name, pairs, *("" if d is None else f"{d:+}" for d in ours), *paper

    def by_test_set(self) -> Table:
        """Return the differences of each test set, the paper's figures of its language beside ours."""
        columns = ("test set", "language", "layers", "ours", f"paper's of {LAYERS}", "paper")
        rows = []
        for name, lines in self.table.groupby("test", sort=False):
            lang, relation = str(lines.lang.iloc[0]), str(lines.relation.iloc[0])
            rows.append((str(name), lang, NONE.name, f"{score(lines, NONE.name)}", "", ""))
            for one in self.variants:
                paper = _range(self.paper(one, lang if relation == CROSS else relation))
                pairs = span(one.layers, self.depth) if paper else ""
                rows.append(("", "", one.name, f"{difference(lines, one.name, NONE.name):+}", pairs, paper))
        return Table(f"{self.title}, by test set", columns, tuple(rows))

    def figure(self) -> go.Figure:
        """Draw differences over the depth, for every group of layers but all together; the paper's dotted."""
        drawn = go.Figure()
        groups = [one for one in self.variants if len(one.layers) < self.depth]
        for name, colour in zip(RELATIONS, PALETTE, strict=False):
            if name in self.by_relation:
                found = [difference(self.by_relation[name], one.name, NONE.name) for one in groups]
                drawn.add_scatter(
                    name=name,
                    x=[_middle(one.layers, self.depth) for one in groups],
                    y=[one.value for one in found],
                    error_y={"type": "data", "array": [one.high - one.value for one in found], "thickness": 1},
                    text=[f"layers {one.name}" for one in groups],
                    mode="lines+markers",
                    line={"color": colour},
                )
            pairs = [deltas(base_name(self.task.name), self.source, name, pair, LAYERS) for pair in PAIRS]
            if all(pairs):
                drawn.add_scatter(
                    name=f"{name}, paper",
                    x=[_middle(pair, LAYERS) for pair in PAIRS],
                    y=[float(np.mean(pair)) for pair in pairs],
                    mode="lines",
                    line={"color": colour, "dash": "dot"},
                )
        return style_figure(drawn, "middle of the re-initialised layers, % of the depth", "points")


def _middle(layers: Sequence[int], depth: int) -> float:
    return 100 * (layers[0] + layers[-1] - 1) / 2 / depth


def _headline(parts: Sequence[_Part]) -> str:
    """Say what the lowest layers cost, in the first source language of each task."""
    lowest, depth = min(parts[0].variants, key=lambda one: (one.layers[0], len(one.layers))), parts[0].depth
    which = "layers" if len(lowest.layers) > 1 else "layer"
    found = "; ".join(_sentence(part, lowest) for part in parts)
    theirs = f"paper, mBERT: layers {span(lowest.layers, depth)} of {LAYERS}"
    return f"Re-initialising {which} {lowest.name} of {depth} ({theirs}) changes {found}."


def _sentence(part: _Part, variant: Variant) -> str:
    shown = []
    for name, where in ((CROSS, "other languages"), (SAME, part.source), (DOMAIN, f"{part.source} of another domain")):
        if ours := part.delta(variant, name):
            paper = _range(part.paper(variant, name))
            shown.append(f"by {ours:+} in {where}" + f" (paper {paper})" * bool(paper))
    return f"{part.task.score_label} {', '.join(shown)}"


def _table_1(alike: Sequence[_Part]) -> Table:
    """Return the table of a task, in the order of the paper's table 1."""
    paper = ("paper: same", "paper: domain", "paper: another")
    columns = ("from", "layers", f"paper's of {LAYERS}", *RELATIONS, *paper)
    return Table(alike[0].task.score_label, columns, tuple(line for part in alike for line in part.lines()))


def _range(values: Sequence[float]) -> str:
    """Return a figure, or the least and the greatest of several."""
    shown = [f"{round(value, 1) + 0.0:+.1f}" for value in sorted(values)]
    return "" if not shown else shown[0] if shown[0] == shown[-1] else f"{shown[0]} to {shown[-1]}"
