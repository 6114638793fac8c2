"""Linear models of scores by training size, vocabulary and WikiSize (Wu & Dredze 2020, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fewshot.errors import FewshotError
from fewshot.papers.resources.tagger import BASELINE

TRAINING, VOCABULARY, WIKISIZE = "training size", "training vocabulary", "WikiSize"
"""The factors: log2 of sentences, of distinct words in the sentences, of the megabytes of a Wikipedia."""

MODELS = ((TRAINING,), (VOCABULARY,), (WIKISIZE,), (TRAINING, WIKISIZE))
"""The factors of each linear model, in the order of the paper's Table 2."""

TESTS = ((TRAINING, VOCABULARY), (TRAINING, WIKISIZE))
"""Likelihood-ratio tests: the factor of the smaller model, and the factor added."""

DIFFERENCE = "difference"
"""The lead of the encoder over the tagger with no pretraining."""

PAPER: Mapping[str, tuple[float, float, float]] = {
    f"univariate {TRAINING}": (0.035, 0.029, 0.041),
    f"univariate {VOCABULARY}": (0.021, 0.017, 0.025),
    f"univariate {WIKISIZE}": (0.015, 0.007, 0.023),
    f"multivariate {TRAINING}": (0.029, 0.023, 0.035),
    f"multivariate {WIKISIZE}": (-0.014, -0.022, -0.006),
}
"""Coefficients and 95% intervals of mBERT's NER F1 on 99 languages (Table 2); every p is below 0.001."""

PAPER_SCORES = {
    "ner": {"lv": (92.10, 93.88), "af": (94.00, 93.36), "mn": (76.40, 64.71), "yo": (94.00, 80.54)},
    "pos": {"lv": (96.19, 95.69), "af": (97.50, 98.26)},
}
"""Baseline and mBERT, by task and language (Table 4)."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """The effect of one unit of a factor, its p by a two-sided t test, and the ends of its 95% interval."""

    factor: str
    value: float
    p: float
    low: float
    high: float


def coefficients(y: np.ndarray, factors: Mapping[str, np.ndarray], groups: Sequence[str]) -> tuple[Coefficient, ...]:
    """Fit ordinary least squares of ``y`` with an intercept; return a coefficient for each factor.

    Where a group, such as a language, has several rows, intervals are clustered by group (t with one degree of freedom
    less than groups). The result is empty when a factor does not vary or there are too few groups.
    """
    if not fits(factors, groups):
        return ()
    repeated = len(set(groups)) < len(groups)
    numbers = np.unique(np.asarray(groups), return_inverse=True)[1]
    clustered = {"cov_type": "cluster", "cov_kwds": {"groups": numbers}, "use_t": True} if repeated else {}
    fit = _model(y, factors).fit(**clustered)
    intervals = fit.conf_int()
    return tuple(
        Coefficient(name, float(fit.params[place]), float(fit.pvalues[place]), *map(float, intervals[place]))
        for place, name in enumerate(factors, start=1)
    )


def likelihood_ratio(
    y: np.ndarray, smaller: Mapping[str, np.ndarray], more: Mapping[str, np.ndarray]
) -> tuple[float, float]:
    """Test whether more factors improve a smaller model; rows count as independent observations.

    Returns:
        Twice the difference of the log likelihoods, and its p-value (chi-squared, a degree of freedom for each factor).
    """
    larger = _model(y, {**smaller, **more}).fit()
    statistic, p, _ = larger.compare_lr_test(_model(y, smaller).fit())
    return float(statistic), float(p)


def least_squares() -> Any:
    """Return the least-squares class of statsmodels; `FewshotError` when statsmodels is missing."""
    try:
        from statsmodels.regression.linear_model import OLS
    except ModuleNotFoundError:
        raise FewshotError("statsmodels, which fits the models, is missing; pip install 'fewshot[analyze]'") from None
    return OLS


def fits(factors: Mapping[str, np.ndarray], groups: Sequence[str]) -> bool:
    """Return whether every factor varies independently, over enough groups to leave an error."""
    design = _design(factors)
    return len(set(groups)) > design.shape[1] and np.linalg.matrix_rank(design) == design.shape[1]


def _design(factors: Mapping[str, np.ndarray]) -> np.ndarray:
    columns = [np.asarray(column, float) for column in factors.values()]
    return np.column_stack([np.ones(len(columns[0])), *columns])


def _model(y: np.ndarray, factors: Mapping[str, np.ndarray]) -> Any:
    return least_squares()(np.asarray(y, float), _design(factors))


def observations(table: pd.DataFrame) -> pd.DataFrame:
    """Return the means over seeds by task, model, language and k, and the differences between the models."""
    keys = ["task", "lang", "wikisize", "k"]
    means = table.groupby([*keys, "model"], sort=False)[["score", "vocabulary"]].mean().reset_index()
    wide = means.pivot(index=keys, columns="model", values="score")
    encoder = next(name for name in wide.columns if name != BASELINE)
    gap = (wide[encoder] - wide[BASELINE]).rename("score").reset_index().assign(model=DIFFERENCE)
    vocabulary = means[means.model == BASELINE][[*keys, "vocabulary"]]
    return pd.concat([means, gap.merge(vocabulary, on=keys)], ignore_index=True)


def _data(rows: pd.DataFrame) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the scores of observations from 0 to 1, and their factors in units of a doubling."""
    return rows.score.to_numpy(float) / 100, {
        TRAINING: np.log2(rows.k.to_numpy(float)),
        VOCABULARY: np.log2(rows.vocabulary.to_numpy(float)),
        WIKISIZE: rows.wikisize.to_numpy(float),
    }


def fitted(rows: pd.DataFrame) -> Iterator[tuple[str, Coefficient]]:
    """Yield the kind of model and a coefficient, for all models that the rows of one task and model allow."""
    y, factors = _data(rows)
    for names in MODELS:
        kind = "univariate" if len(names) == 1 else "multivariate"
        for coefficient in coefficients(y, {name: factors[name] for name in names}, rows.lang.tolist()):
            yield kind, coefficient


def tested(rows: pd.DataFrame) -> Iterator[tuple[str, str, float, float]]:
    """Yield likelihood-ratio tests: factor of the smaller model, factor added, statistic, p-value."""
    y, factors = _data(rows)
    for first, added in TESTS:
        smaller, more = {first: factors[first]}, {added: factors[added]}
        if fits({**smaller, **more}, rows.lang.tolist()):
            yield first, added, *likelihood_ratio(y, smaller, more)
