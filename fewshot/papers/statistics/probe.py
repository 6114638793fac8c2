"""A linear classifier on fixed vectors: multinomial logistic regression, the same from any start."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Probe:
    """A trained classifier.

    Args:
        mean: of the training vectors, ``[hidden]``.
        scale: their standard deviation, ``[hidden]``, 1 where it is 0.
        weights: ``[hidden, classes]``, of standardised vectors.
        bias: ``[classes]``.
    """

    mean: Tensor
    scale: Tensor
    weights: Tensor
    bias: Tensor

    def predict(self, vectors: Tensor) -> Tensor:
        """Return the likeliest class of each vector ``[n, hidden]``."""
        return (((vectors.double() - self.mean) / self.scale) @ self.weights + self.bias).argmax(1)


def train(vectors: Tensor, labels: Tensor, classes: int, penalty: float = 1.0) -> Probe:
    """Minimise the summed cross-entropy plus half the squared weights times the penalty, by L-BFGS, from zero.

    The loss is strictly convex but for a common shift of the biases: there is one solution, and no seed.

    Args:
        vectors: ``[n, hidden]``, on any device but in double precision, so not on MPS.
        labels: ``[n]``, from 0.
        classes: how many there are.
        penalty: on the weights of standardised vectors, not on the biases; scikit-learn's ``1 / C``.
    """
    x = vectors.double()
    mean, scale = x.mean(0), x.std(0, correction=0)
    scale = scale.where(scale > 0, torch.ones_like(scale))
    x = (x - mean) / scale
    weights = x.new_zeros(x.shape[1], classes, requires_grad=True)
    bias = x.new_zeros(classes, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [weights, bias], max_iter=1000, tolerance_grad=1e-6, tolerance_change=1e-10, line_search_fn="strong_wolfe"
    )

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = nn.functional.cross_entropy(x @ weights + bias, labels) + penalty * weights.square().sum() / (
            2 * len(x)
        )
        value.backward()
        return value

    optimiser.step(loss)
    return Probe(mean, scale, weights.detach(), bias.detach())
