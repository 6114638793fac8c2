"""Linear models of how scores go with training size, vocabulary and WikiSize (Wu & Dredze 2020, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from fewshot.papers.resources.tagger import BASELINE
from fewshot.papers.statistics.linear import Coefficient, coefficients, fits, likelihood_ratio

TRAINING, VOCABULARY, WIKISIZE = "training size", "training vocabulary", "WikiSize"
"""The factors: log2 of sentences, of distinct words in them, of the megabytes of a Wikipedia."""

MODELS = ((TRAINING,), (VOCABULARY,), (WIKISIZE,), (TRAINING, WIKISIZE))
"""Linear models by their factors, in the order of the paper's Table 2."""

TESTS = ((TRAINING, VOCABULARY), (TRAINING, WIKISIZE))
"""Likelihood-ratio tests: the factor of the smaller model, and what is added."""

DIFFERENCE = "difference"
"""What the encoder scores above the tagger with no pretraining."""

PAPER: Mapping[str, tuple[float, str, float, float]] = {
    f"univariate {TRAINING}": (0.035, "<0.001", 0.029, 0.041),
    f"univariate {VOCABULARY}": (0.021, "<0.001", 0.017, 0.025),
    f"univariate {WIKISIZE}": (0.015, "<0.001", 0.007, 0.023),
    f"multivariate {TRAINING}": (0.029, "<0.001", 0.023, 0.035),
    f"multivariate {WIKISIZE}": (-0.014, "<0.001", -0.022, -0.006),
}
"""Coefficient, p-value and 95% interval of mBERT's NER F1 on 99 languages (Table 2)."""

PAPER_SCORES = {
    "ner": {"lv": (92.10, 93.88), "af": (94.00, 93.36), "mn": (76.40, 64.71), "yo": (94.00, 80.54)},
    "pos": {"lv": (96.19, 95.69), "af": (97.50, 98.26)},
}
"""Baseline and mBERT, by task and language (Table 4)."""


def observations(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over the seeds for each task, model, language and k, and for their differences."""
    keys = ["task", "lang", "wikisize", "k"]
    means = table.groupby([*keys, "model"], sort=False)[["score", "vocabulary"]].mean().reset_index()
    wide = means.pivot(index=keys, columns="model", values="score")
    encoder = next(name for name in wide.columns if name != BASELINE)
    gap = (wide[encoder] - wide[BASELINE]).rename("score").reset_index().assign(model=DIFFERENCE)
    vocabulary = means[means.model == BASELINE][[*keys, "vocabulary"]]
    return pd.concat([means, gap.merge(vocabulary, on=keys)], ignore_index=True)


def factors(rows: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the factors of observations, each in units of a doubling."""
    return {
        TRAINING: np.log2(rows.k.to_numpy(float)),
        VOCABULARY: np.log2(rows.vocabulary.to_numpy(float)),
        WIKISIZE: rows.wikisize.to_numpy(float),
    }


def fitted(rows: pd.DataFrame) -> Iterator[tuple[str, Coefficient]]:
    """Yield the coefficients of all models that the observations allow, each with what kind of model it is of.

    Args:
        rows: observations of one task and model; scores count from 0 to 1, as in the paper.
    """
    y, known = rows.score.to_numpy(float) / 100, factors(rows)
    for names in MODELS:
        kind = "univariate" if len(names) == 1 else "multivariate"
        for one in coefficients(y, {name: known[name] for name in names}, rows.lang.tolist()):
            yield kind, one


def tested(rows: pd.DataFrame) -> Iterator[tuple[str, str, float, float]]:
    """Yield likelihood-ratio tests: factor of the smaller model, factor that is added, statistic, p-value."""
    y, known = rows.score.to_numpy(float) / 100, factors(rows)
    for first, added in TESTS:
        smaller, more = {first: known[first]}, {added: known[added]}
        if fits({**smaller, **more}, rows.lang.tolist()):
            yield first, added, *likelihood_ratio(y, smaller, more)
