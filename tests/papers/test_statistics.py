"""What studies compute with, against definitions, brute force and scikit-learn."""

from itertools import permutations
from math import isnan

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from fewshot.papers.statistics import debiased_cka, linear_cka, pearson, spearman, train_probe

X, Y = [1.0, 2.5, 3.0, 7.0, 5.0], [2.0, 1.0, 4.0, 3.5, 8.0]


def test_pearson_with_its_interval():
    found = pearson(X, Y)
    r = np.corrcoef(X, Y)[0, 1]
    t = r * np.sqrt(3 / (1 - r**2))
    assert found.r == pytest.approx(r) and found.p == pytest.approx(2 * stats.t.sf(t, 3)) and found.n == 5
    ends = np.tanh(np.arctanh(r) + np.array([-1, 1]) * stats.norm.ppf(0.975) / np.sqrt(2))
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    assert str(found) == f"{r:.2f} [{ends[0]:.2f}, {ends[1]:.2f}], p = {found.p:.3f}"


def test_spearmans_p_counts_all_orders():
    found = spearman(X, Y)
    assert found.r == pytest.approx(stats.spearmanr(X, Y).statistic)
    each = [stats.spearmanr(order, Y).statistic for order in permutations(X)]
    one_sided = np.mean(np.array(each) >= found.r - 1e-9)
    assert found.p == pytest.approx(min(1, 2 * one_sided))
    tied = ([1, 1, 2, 3], [4, 5, 5, 6])
    assert spearman(*tied).r == pytest.approx(stats.spearmanr(*tied).statistic)


@pytest.mark.parametrize("correlation", [pearson, spearman])
def test_few_languages_or_equal_scores_have_no_correlation(correlation):
    for x, y in (([1, 2, 3], [1, 2, 3]), ([1, 1, 1, 1], [1, 2, 3, 4]), ([], [])):
        found = correlation(x, y)
        assert isnan(found.r) and str(found) == "–"


def gaussian(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.double)


def centered_hsic(k, m):
    n = len(k)
    h = torch.eye(n, dtype=torch.double) - 1 / n
    return torch.trace(k @ h @ m @ h)


def test_cka_is_the_normalised_hsic_of_linear_kernels():
    x, y = gaussian(12, 5, seed=1), gaussian(12, 3, seed=2)
    k, m = x @ x.T, y @ y.T
    expected = centered_hsic(k, m) / (centered_hsic(k, k) * centered_hsic(m, m)).sqrt()
    assert linear_cka(x, y) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("measure", [linear_cka, debiased_cka])
def test_rotation_factor_and_shift_change_nothing_and_other_maps_do(measure):
    x, y = gaussian(30, 6, seed=1), gaussian(30, 6, seed=2)
    y = x + y
    turn, _ = torch.linalg.qr(gaussian(6, 6, seed=3))
    assert measure(x, x) == pytest.approx(1, abs=1e-12)
    assert measure(x, 3 * x @ turn + 7) == pytest.approx(1, abs=1e-12)
    assert measure(x @ turn, 0.1 * y - 2) == pytest.approx(measure(x, y), abs=1e-12)
    assert measure(x, y) == pytest.approx(measure(y, x), abs=1e-12)
    stretched = x * torch.tensor([9.0, 1, 1, 1, 1, 1])
    assert measure(x, stretched) < 0.9


def unbiased_hsic(k, m):
    """Mean over all ordered quadruples of different rows (Song et al. 2012, section 2.2)."""
    terms = [
        k[i, j] * (m[i, j] + m[q, r] - 2 * m[i, q]) for i, j, q, r in permutations(range(len(k)), 4)
    ]  # fmt: skip
    return float(torch.stack(terms).mean())


def test_debiased_cka_is_the_mean_over_all_quadruples():
    x, y = gaussian(7, 3, seed=1), gaussian(7, 2, seed=2)
    y[:, 0] += x[:, 0]
    k, m = x @ x.T, y @ y.T
    expected = unbiased_hsic(k, m) / (unbiased_hsic(k, k) * unbiased_hsic(m, m)) ** 0.5
    assert debiased_cka(x, y) == pytest.approx(expected, abs=1e-9)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 120)
    x = rng.normal(size=(120, 6)) * [1, 100, 0.01, 1, 1, 0] + labels[:, None] * [0.5, 30, 0.01, 0, 0, 0]
    return torch.tensor(x, dtype=torch.float), torch.tensor(labels)


def test_the_probe_is_standardised_logistic_regression_on_any_units(data):
    x, labels = data
    ours = train_probe(x, labels, 4)
    scaler = StandardScaler().fit(x.double())
    theirs = LogisticRegression(C=1, tol=1e-10, max_iter=5000).fit(scaler.transform(x.double()), labels)
    assert ours.weights.T.numpy() == pytest.approx(theirs.coef_, abs=1e-3)
    shift = theirs.intercept_.mean()  # a common shift of the biases changes nothing
    assert (ours.bias - ours.bias.mean()).numpy() == pytest.approx(theirs.intercept_ - shift, abs=1e-3)
    assert ours.predict(x).tolist() == theirs.predict(scaler.transform(x.double())).tolist()
    assert torch.equal(train_probe(x, labels, 4).weights, ours.weights)
    assert train_probe(x * 1000 + 5, labels, 4).predict(x * 1000 + 5).tolist() == ours.predict(x).tolist()
