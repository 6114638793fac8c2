"""Correlations over few languages."""

from itertools import permutations
from math import isnan

import numpy as np
import pytest
from scipy import stats

from fewshot.papers.statistics.correlation import pearson, spearman

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
