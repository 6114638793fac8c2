"""What zero-shot scores go with: similarity to the source language, pretraining size (Lauscher et al. 2020, 3.3).

Correlations of each feature with the scores (Table 2), and a linear regression on the features that a greedy search
chooses, judged on languages that are left out (Table 3).
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from fewshot.corpora.language_codes import language
from fewshot.errors import FewshotError
from fewshot.papers.statistics.correlation import pearson, spearman
from fewshot.transfer import regression
from fewshot.transfer.regression import FEWEST, Sample
from fewshot.transfer.scores import Score, groups

FILE = Path(__file__).with_name("correlations.csv")
"""Lauscher et al. 2020, Table 2."""

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


@dataclass(frozen=True, slots=True)
class Selection:
    """A regression on features that a greedy search chose.

    Args:
        features: chosen ones, in order.
        shares: of their standardized coefficients, signs aside.
        predictions: ``[langs]``, of languages left out after the search, as in the paper.
        pearson: of these with the scores.
        spearman: the same.
        error: their mean absolute error, in points.
        nested: mean absolute error when the search leaves the language out too.
        mean: mean absolute error of guessing the mean of the other languages.
    """

    features: tuple[str, ...]
    shares: tuple[float, ...]
    predictions: np.ndarray
    pearson: float
    spearman: float
    error: float
    nested: float
    mean: float


def samples(scores: Sequence[Score], source: str) -> list[Sample]:
    """Return a sample for each encoder and task that has enough languages.

    Args:
        scores: those after k > 0 examples are left out.
        source: the language that the encoders were trained on.

    Raises:
        FewshotError: when there are too few languages in every task, or one that lang2vec does not know.
    """
    source = language(source)
    found = [
        regression.sample(encoder, task, by_lang, source)
        for (encoder, task), by_lang in groups(scores).items()
        if len(set(by_lang) - {source}) >= FEWEST
    ]
    if not found:
        raise FewshotError(f"no encoder has zero-shot scores of a task in {FEWEST} languages beside {source}")
    return found


def regress(sample: Sample) -> Selection:
    """Choose features and judge the regression on left-out languages (Table 3)."""
    chosen = regression.select(sample.x, sample.y)
    x, y = sample.x[:, chosen], sample.y
    predictions = regression.left_out(x, y)
    return Selection(
        features=tuple(sample.features[column] for column in chosen),
        shares=tuple(regression.shares(x, y)) if chosen else (),
        predictions=predictions,
        pearson=pearson(predictions, y).r,
        spearman=spearman(predictions, y).r,
        error=regression.mean_error(predictions, y),
        nested=regression.mean_error(regression.nested(sample.x, y), y),
        mean=regression.mean_error(regression.left_out(x[:, :0], y), y),
    )


@cache
def table_2() -> dict[tuple[str, str, str], tuple[float, float]]:
    """Return the paper's Pearson and Spearman correlations by encoder, task and feature."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            (row["encoder"], row["task"], row["feature"]): (float(row["pearson"]), float(row["spearman"]))
            for row in csv.DictReader(file)
        }


def table(found: Sequence[Sample]) -> pd.DataFrame:
    """Return the correlation of each feature with the scores (Table 2), a line each, with the paper's where it has one.

    Those of ``pearson_targets`` and ``spearman_targets`` are without the source language.
    """
    rows = []
    for sample in found:
        targets = sample.targets
        for column, feature in enumerate(sample.features):
            x, others = sample.x[:, column], targets.x[:, column]
            paper = table_2().get((sample.encoder, sample.task, feature), (None, None))
            rows.append(
                {
                    "encoder": sample.encoder,
                    "task": sample.task,
                    "feature": feature,
                    "languages": len(sample.langs),
                    "pearson": pearson(x, sample.y).r,
                    "spearman": spearman(x, sample.y).r,
                    "pearson_targets": pearson(others, targets.y).r,
                    "spearman_targets": spearman(others, targets.y).r,
                    "paper_pearson": paper[0],
                    "paper_spearman": paper[1],
                }
            )
    return pd.DataFrame(rows)
