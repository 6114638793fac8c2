import math

import pytest
import torch

from fewshot.heads import Classifier, SeveralClassifier
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


def test_several_labels_share_the_probability_and_one_is_as_with_one_label():
    scores = torch.tensor([[[1.0, 2.0, 0.0]], [[0.5, 0.0, 3.0]]])
    mask = torch.ones(2, 1, dtype=torch.bool)
    one, several = Classifier(4, 3), SeveralClassifier(4, 3)
    single = [[[1], [2]], one.collate([[1], [2]], 1)]
    assert several.loss(scores, several.collate(single[0], 1), mask).item() == pytest.approx(
        one.loss(scores, single[1], mask).item()
    )
    both = several.collate([[0, 1], [2]], 1)
    logs = scores.log_softmax(-1)
    expected = -(logs[0, 0, 0] + logs[0, 0, 1]) / 2 - logs[1, 0, 2]
    assert several.loss(scores, both, mask).item() == pytest.approx(expected.item())
    assert several.count_annotated(both) == 2


def test_labels_half_as_likely_as_the_best_are_predicted_too():
    shares = torch.tensor([[[0.5, 0.26, 0.24]], [[0.3, 0.34, 0.36]], [[0.05, 0.05, 0.9]]])
    head = SeveralClassifier(4, 3)
    assert head.decode(shares.log(), torch.ones(3, 1, dtype=torch.bool)) == [[0, 1], [0, 1, 2], [2]]
