"""Linear models of scores, as Wu & Dredze 2020 fit them (section 5.1): coefficients, p-values, intervals, tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fewshot.errors import FewshotError


@dataclass(frozen=True, slots=True)
class Coefficient:
    """What one unit of a factor adds.

    Args:
        factor: its name.
        value: of the coefficient.
        p: probability of one so far from 0 where there is no effect (t test, two-sided).
        low: lower end of the 95% interval.
        high: upper end.
    """

    factor: str
    value: float
    p: float
    low: float
    high: float


def coefficients(y: np.ndarray, factors: Mapping[str, np.ndarray], groups: Sequence[str]) -> tuple[Coefficient, ...]:
    """Fit an ordinary least-squares model with an intercept.

    Rows of one group, such as a language with several training sizes, are no independent observations. Where groups
    have several, intervals are robust to that (clustered by group, t with one degree of freedom less than groups).

    Args:
        y: ``[n]``.
        factors: ``[n]`` each, by name.
        groups: ``[n]``.

    Returns:
        A coefficient a factor; none where a factor does not vary or there are too few groups.

    Raises:
        FewshotError: when statsmodels is missing.
    """
    if not fits(factors, groups):
        return ()
    repeated = len(set(groups)) < len(groups)
    numbers = np.unique(np.asarray(groups), return_inverse=True)[1]
    how = {"cov_type": "cluster", "cov_kwds": {"groups": numbers}, "use_t": True} if repeated else {}
    found = _model(y, factors).fit(**how)
    intervals = found.conf_int()
    return tuple(
        Coefficient(name, float(found.params[place]), float(found.pvalues[place]), *map(float, intervals[place]))
        for place, name in enumerate(factors, start=1)
    )


def likelihood_ratio(
    y: np.ndarray, smaller: Mapping[str, np.ndarray], more: Mapping[str, np.ndarray]
) -> tuple[float, float]:
    """Test whether further factors improve a model.

    Args:
        y: ``[n]``.
        smaller: factors of the smaller model.
        more: those that the larger one has beside them.

    Returns:
        Twice the difference of the log likelihoods, and its p-value (chi-squared, a degree of freedom a factor); every
        row counts as an independent observation.

    Raises:
        FewshotError: when statsmodels is missing.
    """
    larger = _model(y, {**smaller, **more}).fit()
    statistic, p, _ = larger.compare_lr_test(_model(y, smaller).fit())
    return float(statistic), float(p)


def least_squares() -> Any:
    """Return the class of statsmodels that fits.

    Raises:
        FewshotError: when statsmodels is missing.
    """
    try:
        from statsmodels.regression.linear_model import OLS
    except ModuleNotFoundError:
        raise FewshotError("statsmodels, which fits the models, is missing; pip install 'fewshot[analyze]'") from None
    return OLS


def fits(factors: Mapping[str, np.ndarray], groups: Sequence[str]) -> bool:
    """Return whether all factors vary, each by itself, over enough groups to leave an error."""
    design = _design(factors)
    return len(set(groups)) > design.shape[1] and np.linalg.matrix_rank(design) == design.shape[1]


def _design(factors: Mapping[str, np.ndarray]) -> np.ndarray:
    columns = [np.asarray(column, float) for column in factors.values()]
    return np.column_stack([np.ones(len(columns[0])), *columns])


def _model(y: np.ndarray, factors: Mapping[str, np.ndarray]) -> Any:
    return least_squares()(np.asarray(y, float), _design(factors))
