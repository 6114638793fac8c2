import math

import pytest
import torch

from fewshot.heads import Classifier
from fewshot.heads.classifier import IGNORE


def test_probabilities_are_the_softmax_of_each_unit():
    scores = torch.tensor([[[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]], [[5.0, 5.0, 5.0], [9.0, 0.0, 0.0]]])
    mask = torch.tensor([[True, True], [True, False]])
    head = Classifier(4, 3)
    found = head.probabilities(scores, mask, head.decode(scores, mask))
    assert [len(units) for units in found] == [2, 1]
    for units, row in zip(found, scores, strict=True):
        exponents = row[: len(units)].exp()
        assert units == pytest.approx((exponents / exponents.sum(1, keepdim=True)).numpy(), abs=1e-6)


def test_the_loss_counts_each_unit_by_the_weight_of_its_label():
    scores = torch.tensor([[[1.0, 2.0], [0.5, 0.0], [3.0, 1.0]]])
    targets = torch.tensor([[0, 1, IGNORE]])
    head = Classifier(4, 2)
    each = [math.log(math.exp(1.0) + math.exp(2.0)) - 1.0, math.log(math.exp(0.5) + 1.0)]
    mask = torch.ones(1, 3, dtype=torch.bool)
    assert head.loss(scores, targets, mask).item() == pytest.approx(sum(each))
    assert head.count_annotated(targets) == 2
    head.weights = torch.tensor([0.25, 2.0])
    assert head.loss(scores, targets, mask).item() == pytest.approx(0.25 * each[0] + 2.0 * each[1])
