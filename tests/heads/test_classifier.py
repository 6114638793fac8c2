"""The softmax head against a softmax by hand."""

import math

import pytest
import torch

from fewshot.heads import Classifier


def test_probabilities_are_the_softmax_of_each_unit():
    scores = torch.tensor([[[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]], [[5.0, 5.0, 5.0], [9.0, 0.0, 0.0]]])
    mask = torch.tensor([[True, True], [True, False]])
    head = Classifier(4, 3)
    found = head.probabilities(scores, mask, head.decode(scores, mask))
    assert [len(units) for units in found] == [2, 1]
    for units, row in zip(found, scores.tolist(), strict=True):
        for unit, values in zip(units.tolist(), row, strict=False):
            total = sum(math.exp(value) for value in values)
            assert unit == pytest.approx([math.exp(value) / total for value in values], abs=1e-6)
