"""The linear probe against scikit-learn."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from fewshot.papers.statistics import probe


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 120)
    x = rng.normal(size=(120, 6)) * [1, 100, 0.01, 1, 1, 0] + labels[:, None] * [0.5, 30, 0.01, 0, 0, 0]
    return torch.tensor(x, dtype=torch.float), torch.tensor(labels)


@pytest.mark.parametrize("penalty", [1.0, 20.0])
def test_it_is_standardised_logistic_regression_on_any_units(data, penalty):
    x, labels = data
    ours = probe.train(x, labels, 4, penalty)
    scaler = StandardScaler().fit(x.double())
    theirs = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=5000).fit(scaler.transform(x.double()), labels)
    assert ours.weights.T.numpy() == pytest.approx(theirs.coef_, abs=1e-3)
    shift = theirs.intercept_.mean()  # a common shift of the biases changes nothing
    assert (ours.bias - ours.bias.mean()).numpy() == pytest.approx(theirs.intercept_ - shift, abs=1e-3)
    assert ours.predict(x).tolist() == theirs.predict(scaler.transform(x.double())).tolist()
    assert torch.equal(probe.train(x, labels, 4, penalty).weights, ours.weights)
    assert probe.train(x * 1000 + 5, labels, 4, penalty).predict(x * 1000 + 5).tolist() == ours.predict(x).tolist()
