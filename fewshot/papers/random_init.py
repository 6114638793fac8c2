"""Which pretrained layers carry transfer (Muller et al. 2021, section 2.1, tables 1, 2, 5 to 8).

Layers are re-initialised before the encoder is fine-tuned. The loss in the source language shows how much the task
needs the pretraining of these layers; the loss in other languages shows how much transfer needs it.

``muller.csv`` holds the paper's scores of mBERT by task, source language and test set: the score of the reference, and
the differences to the reference for pairs of layers (tables 1, 2, 6 to 8) and for all layers (table 5). A test set is a
language, the mean of the other languages as the paper prints it, or another domain; values that the text of the paper
lacks are missing.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from fewshot.curves.plots import PALETTE
from fewshot.errors import FewshotError
from fewshot.papers import fine_tuning
from fewshot.papers.fine_tuning import (
    CROSS,
    DOMAIN,
    RELATIONS,
    SAME,
    FineTuningStudy,
    Variant,
    VariantComparison,
    score,
)
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.tasks import base_name

PAPER_DEPTH = 12
"""Layers of the paper's encoder, mBERT."""

PAIRS = tuple((low, low + 1) for low in range(1, PAPER_DEPTH, 2))
"""Layers that the paper re-initialises together."""

REFERENCE = Variant("none", "full")

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
def _published() -> list[dict[str, str]]:
    with Path(__file__).with_name("muller.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def matching_pairs(layers: Sequence[int], depth: int) -> list[tuple[int, int]]:
    """Return the paper's pairs at the share of the depth that some layers of an encoder have.

    These are the pairs whose middle lies among the layers, or else the pair that holds the middle of the layers.
    """
    low, high = (layers[0] - 1) * PAPER_DEPTH / depth, layers[-1] * PAPER_DEPTH / depth
    pairs = [(first, last) for first, last in PAIRS if low < first <= high]
    return pairs or [next(pair for pair in PAIRS if (low + high) / 2 <= pair[1])]


def paper_layers(layers: Sequence[int], depth: int) -> str:
    """Return the range of the paper's layers that match some layers of an encoder: ``1-2``, ``1-6``."""
    pairs = matching_pairs(layers, depth)
    return f"{pairs[0][0]}-{pairs[-1][1]}"


def paper_differences(task: str, source: str, test: str, layers: Sequence[int], depth: int) -> list[float]:
    """Return the paper's differences in points, one for each matching pair of layers and domain.

    Args:
        task: name without options.
        test: one of `RELATIONS`, or a language code.
    """
    pairs = ["all"] if len(layers) == depth else [f"{low}-{high}" for low, high in matching_pairs(layers, depth)]
    lines = [line for line in _published() if (line["task"], line["source"], line["test"]) == (task, source, test)]
    return [float(line[pair]) for line in lines for pair in pairs if line[pair]]


def layer_groups(depth: int) -> list[tuple[int, ...]]:
    """Return sixths of the encoder's layers, like the paper's pairs of 12, and all layers together."""
    sixths = np.array_split(np.arange(1, depth + 1), min(len(PAIRS), depth))
    return list(dict.fromkeys([*(tuple(part.tolist()) for part in sixths), tuple(range(1, depth + 1))]))


def parse_layers(text: str, depth: int) -> list[tuple[int, ...]]:
    """Read the groups of layers to re-initialise: ``groups``, ``single``, or a list such as ``1,2,1-4``.

    Raises:
        FewshotError: for another text, or a layer that the encoder lacks.
    """
    if text == "groups":
        return layer_groups(depth)
    if text == "single":
        return [(number,) for number in range(1, depth + 1)]
    groups = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= depth:
            raise FewshotError(
                f"--layers {part.strip()!r}: the encoder has layers 1 to {depth}; write groups, single, or e.g. "
                f"1,1-{depth}"
            )
        groups.append(tuple(range(first, last + 1)))
    return list(dict.fromkeys(groups))


def analyse(study: FineTuningStudy, layers: str) -> Page:
    """Fine-tune with layers re-initialised, and report the differences to the untouched encoder."""
    groups = parse_layers(layers, study.depth)
    names = [f"{group[0]}-{group[-1]}" if len(group) > 1 else f"{group[0]}" for group in groups]
    variants = [Variant(name, REFERENCE.method, group) for name, group in zip(names, groups, strict=True)]
    table, parts = fine_tuning.measure(study, REFERENCE, variants)
    by_task: dict[str, list[VariantComparison]] = {}
    for part in parts:
        by_task.setdefault(part.transfer.task.name, []).append(part)
    figures = {f"{part.title}: difference to the untouched encoder": _figure(part) for part in parts}
    return Page(
        "Randomly re-initialised layers, after Muller et al. 2021",
        _headline([same_task[0] for same_task in by_task.values()]) + fine_tuning.doubt(study.encoder),
        figures_and_tables(figures, [*map(_table_1, by_task.values()), *map(_by_test_set, parts)]),
        (*NOTES, fine_tuning.NOTE),
        fine_tuning.facts(study, table),
    )


def _paper(part: VariantComparison, layers: Sequence[int], test: str) -> str:
    """Return the paper's difference on a test set, the range of several differences, or an empty text."""
    task = base_name(part.transfer.task.name)
    values = sorted(paper_differences(task, part.transfer.source, test, layers, part.depth))
    texts = [f"{round(value, 1) + 0.0:+.1f}" for value in values]
    return "" if not texts else texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"


def _table_1(parts: Sequence[VariantComparison]) -> Table:
    rows: list[tuple[str, ...]] = []
    for part in parts:
        source, known = part.transfer.source, part.by_relation
        scores = [f"{score(known[name], REFERENCE.name)}" if name in known else "" for name in RELATIONS]
        rows.append((source, REFERENCE.name, "", *scores, "", "", ""))
        for variant in part.variants:
            ours = [f"{part.gain(known[name], variant):+}" if name in known else "" for name in RELATIONS]
            paper = [_paper(part, variant.layers, name) for name in RELATIONS]
            matched = paper_layers(variant.layers, part.depth) if any(paper) else ""
            rows.append((source, variant.name, matched, *ours, *paper))
    paper_columns = ("paper: same", "paper: domain", "paper: another")
    columns = ("from", "layers", f"paper's of {PAPER_DEPTH}", *RELATIONS, *paper_columns)
    return Table(parts[0].transfer.task.score_label, columns, tuple(rows))


def _by_test_set(part: VariantComparison) -> Table:
    columns = ("test set", "language", "layers", "ours", f"paper's of {PAPER_DEPTH}", "paper")
    rows = []
    for name, scores in part.table.groupby("test", sort=False):
        lang, relation = str(scores.lang.iloc[0]), str(scores.relation.iloc[0])
        rows.append((str(name), lang, REFERENCE.name, f"{score(scores, REFERENCE.name)}", "", ""))
        for variant in part.variants:
            paper = _paper(part, variant.layers, lang if relation == CROSS else relation)
            matched = paper_layers(variant.layers, part.depth) if paper else ""
            rows.append(("", "", variant.name, f"{part.gain(scores, variant):+}", matched, paper))
    return Table(f"{part.title}, by test set", columns, tuple(rows))


def _figure(part: VariantComparison) -> go.Figure:
    """Draw the differences over the depth, without the variant of all layers; the paper's are dotted."""
    figure = go.Figure()
    variants = [variant for variant in part.variants if len(variant.layers) < part.depth]
    for name, colour in zip(RELATIONS, PALETTE, strict=False):
        if name in part.by_relation:
            gains = [part.gain(part.by_relation[name], variant) for variant in variants]
            figure.add_scatter(
                name=name,
                x=[_middle(variant.layers, part.depth) for variant in variants],
                y=[gain.value for gain in gains],
                error_y=fine_tuning.error_bars(gains),
                text=[f"layers {variant.name}" for variant in variants],
                mode="lines+markers",
                line={"color": colour},
            )
        task, source = base_name(part.transfer.task.name), part.transfer.source
        published = [paper_differences(task, source, name, pair, PAPER_DEPTH) for pair in PAIRS]
        if all(published):
            figure.add_scatter(
                name=f"{name}, paper",
                x=[_middle(pair, PAPER_DEPTH) for pair in PAIRS],
                y=[float(np.mean(values)) for values in published],
                mode="lines",
                line={"color": colour, "dash": "dot"},
            )
    return style_figure(figure, "middle of the re-initialised layers, % of the depth", "points")


def _middle(layers: Sequence[int], depth: int) -> float:
    return 100 * (layers[0] + layers[-1] - 1) / 2 / depth


def _headline(parts: Sequence[VariantComparison]) -> str:
    lowest = min(parts[0].variants, key=lambda variant: (variant.layers[0], len(variant.layers)))
    texts = []
    for part in parts:
        source, changes = part.transfer.source, []
        for name, where in ((CROSS, "other languages"), (SAME, source), (DOMAIN, f"{source} of another domain")):
            if name in part.by_relation:
                paper = _paper(part, lowest.layers, name)
                ours = f"by {part.gain(part.by_relation[name], lowest):+} in {where}"
                changes.append(f"{ours} (paper {paper})" if paper else ours)
        texts.append(f"{part.transfer.task.score_label} {', '.join(changes)}")
    which = "layers" if len(lowest.layers) > 1 else "layer"
    theirs = f"paper, mBERT: layers {paper_layers(lowest.layers, parts[0].depth)} of {PAPER_DEPTH}"
    return f"Re-initialising {which} {lowest.name} of {parts[0].depth} ({theirs}) changes {'; '.join(texts)}."
