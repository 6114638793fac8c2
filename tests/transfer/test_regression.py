import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from fewshot.transfer import regression


def sample(n=12, features=4, seed=0, noise=0.1):
    """Only the first two columns matter, the first one more."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, features))
    return x, 3 * x[:, 0] - x[:, 1] + noise * rng.normal(size=n)


def test_left_out_predictions_are_those_of_scikit_learn():
    x, y = sample()
    theirs = cross_val_predict(LinearRegression(), x, y, cv=LeaveOneOut())
    np.testing.assert_allclose(regression.leave_one_out(x, y), theirs)
    means = [np.delete(y, row).mean() for row in range(len(y))]
    np.testing.assert_allclose(regression.leave_one_out(x[:, :0], y), means)


def test_what_only_one_row_varies_in_cannot_be_left_out():
    x, y = np.eye(5)[:, :1], np.arange(5.0)
    left = regression.leave_one_out(x, y)
    assert np.isnan(left[0]) and not np.isnan(left[1:]).any()
    assert regression.select(x, y) == []


def test_the_search_takes_the_best_next_feature_until_none_helps():
    x, y = sample()
    chosen = regression.select(x, y)
    assert chosen[:2] == [0, 1]

    def score(columns):
        left = cross_val_predict(LinearRegression(), x[:, columns], y, cv=LeaveOneOut())
        return stats.pearsonr(left, y).statistic

    for step, column in enumerate(chosen):
        tried = {one: score([*chosen[:step], one]) for one in range(x.shape[1]) if one not in chosen[:step]}
        assert max(tried, key=tried.get) == column
    rest = [one for one in range(x.shape[1]) if one not in chosen]
    assert all(score([*chosen, one]) <= score(chosen) for one in rest)


def test_constant_features_are_not_chosen_and_few_rows_get_few_features():
    x, y = sample()
    assert regression.select(np.ones((12, 2)), y) == []
    assert len(regression.select(x[:5], y[:5])) <= 2


def test_nested_predictions_have_not_seen_their_row():
    x, y = sample(noise=2)
    nested = regression.nested(x, y)
    for row in range(len(y)):
        kept = np.arange(len(y)) != row
        chosen = regression.select(x[kept], y[kept])
        model = LinearRegression().fit(x[kept][:, chosen], y[kept])
        assert nested[row] == pytest.approx(model.predict(x[[row]][:, chosen])[0])
    changed = y.copy()
    changed[3] += 100
    assert regression.nested(x, changed)[3] == pytest.approx(nested[3])


def test_shares_do_not_depend_on_units():
    x, y = sample()
    shares = regression.shares(x, y)
    np.testing.assert_allclose(regression.shares(x * [1, 1000, 0.01, 5], y), shares)
    assert shares.sum() == pytest.approx(1) and shares.argmax() == 0
