"""Linear regression over few languages, evaluated on left-out ones (Lauscher et al. 2020, 3.3).

Features ``x`` are ``[languages, features]``, scores ``y`` and predictions ``[languages]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fewshot.transfer import languages
from fewshot.transfer.languages import FEATURES, SIZE

MIN_LANGUAGES = 5
"""Fewest languages of a regression."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The languages that an encoder was scored on in a task.

    Args:
        source: the language that the encoder was trained on; first in ``langs`` if it is among them.
        x: ``[langs, features]``, similarities to the source language from 0 to 1, and SIZE as counted, since
            z-normalization changes neither correlations nor predictions.
        y: ``[langs]``, zero-shot scores in percent.
    """

    encoder: str
    task: str
    source: str
    langs: tuple[str, ...]
    features: tuple[str, ...]
    x: np.ndarray
    y: np.ndarray

    @property
    def targets(self) -> Sample:
        """The sample without the source language."""
        return self.without(self.source)

    def without(self, lang: str) -> Sample:
        """Return the sample without a language."""
        rows = [row for row, code in enumerate(self.langs) if code != lang]
        langs = tuple(self.langs[row] for row in rows)
        return replace(self, langs=langs, x=self.x[rows], y=self.y[rows])


def sample(encoder: str, task: str, by_lang: Mapping[str, float], source: str) -> Sample:
    """Return the sample of one encoder and task; SIZE is left out if that of any language is unknown."""
    langs = tuple(sorted(by_lang, key=lambda lang: lang != source))
    alike = languages.similarities(langs, source)
    sizes = [languages.size(encoder, lang) for lang in langs]
    columns = {name: [alike[lang][name] for lang in langs] for name in FEATURES}
    if all(sizes):
        columns[SIZE] = [float(size or 0) for size in sizes]
    x = np.array(list(columns.values())).T
    return Sample(encoder, task, source, langs, tuple(columns), x, np.array([by_lang[lang] for lang in langs]))


def fit(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the least-squares coefficients ``[1 + features]`` of ``y`` on ``x``, the intercept first."""
    return np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]), y, rcond=None)[0]


def apply(coefficients: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return predictions ``[n]`` for ``x [n, features]``."""
    return coefficients[0] + x @ coefficients[1:]


def leave_one_out(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Predict each row from a regression on the other rows; without features, from their mean.

    A row's error grows by the row's share in its own prediction (Allen 1974). NaN for a row without which there is no
    unique solution.
    """
    design = np.column_stack([np.ones(len(x)), x])
    hat = design @ np.linalg.pinv(design)
    own = np.diag(hat)
    rest = np.where(own < 1 - 1e-9, 1 - own, np.nan)  # NaN where only this row varies
    return y - (y - hat @ y) / rest


def select(x: np.ndarray, y: np.ndarray) -> list[int]:
    """Choose features greedily, until none raises the correlation of leave-one-out predictions.

    Returns columns of ``x``, in the order of choice; few enough to leave degrees of freedom for the error.
    """
    chosen: list[int] = []
    best = -np.inf
    while len(chosen) < len(y) - 3:
        free = [column for column in range(x.shape[1]) if column not in chosen and np.ptp(x[:, column]) > 0]
        tried = [(_left_out_correlation(x[:, [*chosen, column]], y), -column) for column in free]
        if not tried or max(tried)[0] <= best:
            break
        best, column = max(tried)
        chosen.append(-column)
    return chosen


def nested(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Predict each row from the other rows alone, including the choice of features.

    `select` sees every row, so that the error of `leave_one_out` after it is too low.
    """
    rows = np.arange(len(y))
    return np.array([predict(x[rows != row], y[rows != row], x[row]) for row in rows])


def predict(x: np.ndarray, y: np.ndarray, new: np.ndarray) -> float:
    """Choose features, fit, and return the prediction for one more row ``[features]``."""
    chosen = select(x, y)
    return float(apply(fit(x[:, chosen], y), new[chosen]))


def shares(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the shares of absolute standardized coefficients in a regression on ``x [n, features]``."""
    weights = np.abs(fit(x, y)[1:] * x.std(axis=0))
    return weights / weights.sum()


def mean_error(predicted: np.ndarray | Sequence[float], y: np.ndarray | Sequence[float]) -> float:
    """Return the mean absolute error."""
    return float(np.mean(np.abs(np.asarray(predicted) - np.asarray(y))))


def _left_out_correlation(x: np.ndarray, y: np.ndarray) -> float:
    predictions = leave_one_out(x, y)
    if np.isnan(predictions).any() or np.ptp(predictions) == 0 or np.ptp(y) == 0:
        return -np.inf
    return float(np.corrcoef(predictions, y)[0, 1])
