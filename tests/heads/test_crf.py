import itertools

import pytest
import torch

from fewshot.heads import CRF
from fewshot.heads.classifier import IGNORE

LABELS = 3
LENGTHS = [4, 1, 3, 2]
FREE = {"first": [True] * 3, "pairs": [[True] * 3] * 3}
LIMITED = {"first": [True, False, True], "pairs": [[True, False, True], [True, True, False], [False, True, True]]}

ANNOTATED = [[0, 2, 1, 1], [2], [1, 0, 0], [2, 2]]
PARTLY = [[IGNORE, 2, IGNORE, 1], [IGNORE], [1, 0, IGNORE], [IGNORE, IGNORE]]


@pytest.fixture
def head():
    torch.manual_seed(0)
    head = CRF(5, LABELS, dropout=0.0)
    for parameter in head.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return head


@pytest.fixture
def scores(head):
    return torch.randn(len(LENGTHS), max(LENGTHS), LABELS, requires_grad=True)


@pytest.fixture
def mask():
    return torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None]


def labellings(head, scores, length, first, pairs):
    start, follows, end = (table.tolist() for table in head.tables())
    units = scores.tolist()
    for labels in itertools.product(range(LABELS), repeat=length):
        if first[labels[0]] and all(pairs[a][b] for a, b in itertools.pairwise(labels)):
            between = sum(follows[a][b] for a, b in itertools.pairwise(labels))
            inside = sum(units[place][label] for place, label in enumerate(labels))
            yield list(labels), start[labels[0]] + inside + between + end[labels[-1]]


def log_sum(values):
    return torch.tensor(list(values), dtype=torch.float64).logsumexp(0).item()


def agrees(labels, targets):
    return all(target in (IGNORE, label) for label, target in zip(labels, targets, strict=True))


@pytest.mark.parametrize("targets", [ANNOTATED, PARTLY])
def test_loss_is_that_of_every_labelling(head, scores, mask, targets):
    expected = 0.0
    for row, length in enumerate(LENGTHS):
        scored = list(labellings(head, scores[row], length, **FREE))
        agreeing = log_sum(score for labels, score in scored if agrees(labels, targets[row]))
        expected += log_sum(score for _, score in scored) - agreeing
    padded = head.collate(targets, max(LENGTHS))
    assert head.loss(scores, padded, mask).item() == pytest.approx(expected, rel=1e-5)
    assert head.count_annotated(padded) == sum(target != IGNORE for row in targets for target in row)


def test_gradients_are_finite_at_extreme_scores_and_none_where_nothing_is_annotated(head, scores, mask):
    loss = head.loss(scores * 1e4, head.collate(PARTLY, max(LENGTHS)), mask)
    loss.backward()
    assert torch.isfinite(loss)
    assert all(torch.isfinite(table.grad).all() for table in (scores, head.start, head.follows, head.end))
    assert scores.grad.any()
    scores.grad = None
    nothing = torch.full(mask.shape, IGNORE)
    loss = head.loss(scores, nothing, mask)
    loss.backward()
    assert (loss.item(), head.count_annotated(nothing).item()) == (0, 0)
    assert not scores.grad.any()


@pytest.mark.parametrize("limits", [FREE, LIMITED])
def test_decoding_and_posteriors_are_those_of_every_allowed_labelling(head, scores, mask, limits):
    limited = CRF(5, LABELS, **limits)
    limited.load_state_dict(head.state_dict())
    decoded = limited.decode(scores, mask)
    found = limited.probabilities(scores, mask, decoded)
    for row, length in enumerate(LENGTHS):
        scored = list(labellings(head, scores[row], length, **limits))
        assert decoded[row] == max(scored, key=lambda pair: pair[1])[0]
        total = log_sum(score for _, score in scored)
        expected = torch.zeros(length, LABELS)
        for labels, score in scored:
            expected[range(length), labels] += torch.tensor(score - total).exp()
        torch.testing.assert_close(torch.from_numpy(found[row]), expected, atol=1e-5, rtol=1e-4)
    greedy = [row[:length] for row, length in zip(scores.argmax(-1).tolist(), LENGTHS, strict=True)]
    assert decoded != (greedy if limits is FREE else head.decode(scores, mask))


def test_padding_and_neighbours_in_the_batch_change_nothing(head, scores, mask):
    apart = []
    for row, length in enumerate(LENGTHS):
        alone, there = scores[row : row + 1, :length], mask[row : row + 1, :length]
        assert head.decode(alone, there) == head.decode(scores, mask)[row : row + 1]
        apart.append(head.loss(alone, head.collate([PARTLY[row]], length), there))
    torch.testing.assert_close(head.loss(scores, head.collate(PARTLY, max(LENGTHS)), mask), sum(apart))
    mask[1] = False
    assert head.decode(scores, mask)[1] == []  # of an example without units
