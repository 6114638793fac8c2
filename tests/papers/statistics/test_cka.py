"""Centered kernel alignment against its definition, brute force, and what it must not see."""

from itertools import permutations

import pytest
import torch

from fewshot.papers.statistics import cka


def gaussian(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.double)


def centered_hsic(k, m):
    n = len(k)
    h = torch.eye(n, dtype=torch.double) - 1 / n
    return torch.trace(k @ h @ m @ h)


def test_it_is_the_normalised_hsic_of_linear_kernels():
    x, y = gaussian(12, 5, seed=1), gaussian(12, 3, seed=2)
    k, m = x @ x.T, y @ y.T
    expected = centered_hsic(k, m) / (centered_hsic(k, k) * centered_hsic(m, m)).sqrt()
    assert cka.linear(x, y) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("measure", [cka.linear, cka.debiased])
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


def test_debiased_is_the_mean_over_all_quadruples():
    x, y = gaussian(7, 3, seed=1), gaussian(7, 2, seed=2)
    y[:, 0] += x[:, 0]
    k, m = x @ x.T, y @ y.T
    expected = unbiased_hsic(k, m) / (unbiased_hsic(k, k) * unbiased_hsic(m, m)) ** 0.5
    assert cka.debiased(x, y) == pytest.approx(expected, abs=1e-9)
