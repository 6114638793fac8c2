"""Which layers of an encoder to freeze in fine-tuning (Wu & Dredze 2019, section 5.2, Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from fewshot.errors import FewshotError
from fewshot.papers import fine_tuning
from fewshot.papers.fine_tuning import CROSS, FineTuningStudy, Variant, VariantComparison, score
from fewshot.reports.figures import style_figure
from fewshot.reports.page import Page, Table, figures_and_tables
from fewshot.tasks import base_name
from fewshot.training.recipe import ALL_TRAINED, FEATURE_BASED

PAPER_DEPTH = 12
"""Layers of the paper's encoder, mBERT."""

PAPER_FROZEN = (0, 3, 6, 9)
"""Numbers of bottom layers that the paper freezes, with the embeddings."""

PAPER_BEST = {"pos": 3, "dep": 3, "ner": 3, "nli": 6, "topic": 6}
"""The number of frozen layers that gains most in the paper, by task."""

REFERENCE = Variant("all trained", ALL_TRAINED)

NOTES = (
    "n is the highest layer that is frozen, with all below it; 0 are the embeddings. The feature-based model freezes "
    "the whole encoder and reads a learned mix of its layers with an LSTM of two layers.",
    "Languages stand in the order of their scores with everything trained, as in the paper's Figure 1. That figure "
    "prints its numbers in the image alone; what the text of section 5.2 says of it stands beside ours.",
    "The paper fine-tunes 3 or 4 epochs on all data, and its feature-based model until a development score stops "
    "rising; here all are trained for the same number of updates, and the rate falls linearly.",
)


def scale_frozen(depth: int) -> list[int]:
    """Return the paper's numbers of frozen layers for an encoder of another depth, rounded down."""
    return list(dict.fromkeys(depth * bottom // PAPER_DEPTH for bottom in PAPER_FROZEN))


def variants(depth: int, bottoms: Sequence[int]) -> list[Variant]:
    """Return each number of frozen bottom layers (default `scale_frozen`), and the feature-based model.

    Raises:
        FewshotError: when the encoder has fewer layers.
    """
    chosen = list(dict.fromkeys(bottoms)) or scale_frozen(depth)
    if bad := [bottom for bottom in chosen if bottom > depth]:
        raise FewshotError(f"--frozen {bad[0]}: the encoder has {depth} layers; give numbers from 0 to {depth}")
    frozen = [Variant(f"n = {bottom}", f"freeze-{bottom}") for bottom in chosen]
    return [*frozen, Variant(FEATURE_BASED, FEATURE_BASED)]


def analyse(study: FineTuningStudy, bottoms: Sequence[int]) -> Page:
    """Fine-tune with each number of frozen layers, and report the differences to training all layers."""
    chosen = variants(study.depth, bottoms)
    table, parts = fine_tuning.measure(study, REFERENCE, chosen)
    parts = [part for part in parts if CROSS in part.by_relation]
    figures = {f"{part.title}: difference to training everything": _figure(part) for part in parts}
    return Page(
        "Frozen layers, after Wu & Dredze 2019, section 5.2",
        _headline(parts) + fine_tuning.doubt(study.encoder),
        figures_and_tables(figures, [_best_table(parts), *map(_by_test_set, parts)]),
        (*NOTES, fine_tuning.NOTE),
        fine_tuning.facts(study, table),
    )


def _test_sets(part: VariantComparison) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows of each test set, other languages last and the highest score first among them."""

    def order(group: tuple[str, pd.DataFrame]) -> tuple[bool, float]:
        is_cross = group[1].relation.iloc[0] == CROSS
        return is_cross, -score(group[1], REFERENCE.name).value if is_cross else 0.0

    return sorted(((str(name), rows) for name, rows in part.table.groupby("test", sort=False)), key=order)


def _best(part: VariantComparison) -> Variant:
    frozen = [variant for variant in part.variants if variant.method != FEATURE_BASED]
    return max(frozen, key=lambda variant: part.gain(part.by_relation[CROSS], variant).value)


def _best_gains(part: VariantComparison) -> tuple[str, str]:
    """Return the mean gains, over other languages, of the best frozen variant and the feature-based one."""
    best, features = (part.gain(part.by_relation[CROSS], variant) for variant in (_best(part), part.variants[-1]))
    return f"{best:+}", f"{features:+}"


def _by_test_set(part: VariantComparison) -> Table:
    cross = part.by_relation[CROSS]
    groups = [(name, str(rows.lang.iloc[0]), rows) for name, rows in _test_sets(part)]
    groups.append((f"mean of {cross.test.nunique()} other languages", "", cross))
    lines = (
        (name, lang, f"{score(rows, REFERENCE.name)}", *(f"{part.gain(rows, variant):+}" for variant in part.variants))
        for name, lang, rows in groups
    )
    columns = ("test set", "language", REFERENCE.name, *(variant.name for variant in part.variants))
    return Table(part.title, columns, tuple(lines))


def _figure(part: VariantComparison) -> go.Figure:
    figure, groups = go.Figure(), _test_sets(part)
    for variant in part.variants:
        gains = [part.gain(rows, variant) for _, rows in groups]
        values = [gain.value for gain in gains]
        figure.add_bar(
            name=variant.name, x=[name for name, _ in groups], y=values, error_y=fine_tuning.error_bars(gains)
        )
    return style_figure(figure, "test set", "points").update_layout(barmode="group")


def _best_table(parts: Sequence[VariantComparison]) -> Table:
    columns = ("task", "trained on", "best of ours", "points, other languages", FEATURE_BASED, "best of the paper's")
    rows = []
    for part in parts:
        name, source = part.transfer.task.name, part.transfer.source
        paper = PAPER_BEST.get(base_name(name))
        theirs = f"n = {paper} of {PAPER_DEPTH}" if paper else ""
        rows.append((name, source, f"{_best(part).name} of {part.depth}", *_best_gains(part), theirs))
    return Table("Which bottom is best frozen (differences to training everything)", columns, tuple(rows))


def _headline(parts: Sequence[VariantComparison]) -> str:
    results = []
    for part in parts:
        best, features = _best_gains(part)
        task, source = part.transfer.task.name, part.transfer.source
        winner = f"{task} from {source} {_best(part).name} of {part.depth}"
        results.append(f"{winner} by {best} points ({FEATURE_BASED} {features})")
    return (
        "Best bottom n to freeze, against training everything, in the mean of the other languages: "
        f"{'; '.join(results)}; in the paper (mBERT, section 5.2, Figure 1) freezing helps in all tasks, most n = 3 of "
        f"{PAPER_DEPTH} for words and n = 6 for sentences, and {FEATURE_BASED} is below fine-tuning in each."
    )
