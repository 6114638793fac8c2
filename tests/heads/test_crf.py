"""The CRF head against the enumeration of every labelling."""

import itertools

import pytest
import torch

from fewshot.heads import CRF
from fewshot.heads.classifier import IGNORE

LABELS = 3
LENGTHS = [4, 1, 3, 2]

TARGETS = {
    "annotated": [[0, 2, 1, 1], [2], [1, 0, 0], [2, 2]],
    "partly annotated": [[IGNORE, 2, IGNORE, 1], [IGNORE], [1, 0, IGNORE], [IGNORE, IGNORE]],
}


@pytest.fixture
def head():
    """A head whose every weight is random."""
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


def labellings(head, scores, length):
    """Every labelling of an example and its score, as the head's module writes it."""
    start, follows, end = (table.tolist() for table in head.tables())
    units = scores.tolist()
    for labels in itertools.product(range(LABELS), repeat=length):
        between = sum(follows[a][b] for a, b in itertools.pairwise(labels))
        inside = sum(units[place][label] for place, label in enumerate(labels))
        yield list(labels), start[labels[0]] + inside + between + end[labels[-1]]


def log_sum(values):
    return torch.tensor(list(values), dtype=torch.float64).logsumexp(0).item()


def agrees(labels, targets):
    return all(target in (IGNORE, label) for label, target in zip(labels, targets, strict=True))


@pytest.mark.parametrize("targets", TARGETS.values(), ids=TARGETS)
def test_loss_is_that_of_every_labelling(head, scores, mask, targets):
    expected = 0.0
    for row, length in enumerate(LENGTHS):
        scored = list(labellings(head, scores[row], length))
        agreeing = log_sum(score for labels, score in scored if agrees(labels, targets[row]))
        expected += log_sum(score for _, score in scored) - agreeing
    padded = head.collate(targets, max(LENGTHS))
    assert head.loss(scores, padded, mask).item() == pytest.approx(expected, rel=1e-5)
    assert head.annotated(padded) == sum(target != IGNORE for row in targets for target in row)


@pytest.mark.parametrize("targets", TARGETS.values(), ids=TARGETS)
def test_gradients_are_those_of_every_labelling(head, scores, mask, targets):
    """The derivative by a unit's score is how much likelier its label is in all labellings than in those that agree."""
    loss = head.loss(scores, head.collate(targets, max(LENGTHS)), mask)
    loss.backward()
    for row, length in enumerate(LENGTHS):
        scored = list(labellings(head, scores[row], length))
        agreeing = [(labels, score) for labels, score in scored if agrees(labels, targets[row])]
        expected = torch.zeros(max(LENGTHS), LABELS)
        for sign, some in ((1, scored), (-1, agreeing)):
            total = log_sum(score for _, score in some)
            for labels, score in some:
                expected[range(length), labels] += sign * torch.tensor(score - total).exp()
        torch.testing.assert_close(scores.grad[row], expected, atol=1e-5, rtol=1e-4)
    assert all(torch.isfinite(p.grad).all() for p in (head.start, head.follows, head.end))


def test_gradients_stay_finite_at_extreme_scores(head, scores, mask):
    loss = head.loss(scores * 1e4, head.collate(TARGETS["partly annotated"], max(LENGTHS)), mask)
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(scores.grad).all()


def test_nothing_annotated_teaches_nothing(head, scores, mask):
    nothing = torch.full(mask.shape, IGNORE)
    loss, count = head.loss(scores, nothing, mask), head.annotated(nothing)
    loss.backward()
    assert (loss.item(), count.item()) == (0, 0)
    assert not scores.grad.any()


def test_decoding_finds_the_best_labelling(head, scores, mask):
    best = [
        max(labellings(head, scores[row], length), key=lambda pair: pair[1])[0] for row, length in enumerate(LENGTHS)
    ]
    assert head.decode(scores, mask) == best
    assert best != [row[:length] for row, length in zip(scores.argmax(-1).tolist(), LENGTHS, strict=True)]


def test_decoding_keeps_within_the_limits(head, scores, mask):
    first, pairs = [True, False, True], [[True, False, True], [True, True, False], [False, True, True]]
    limited = CRF(5, LABELS, first=first, pairs=pairs)
    limited.load_state_dict(head.state_dict())

    def allowed(labels):
        return first[labels[0]] and all(pairs[a][b] for a, b in itertools.pairwise(labels))

    best = [
        max((pair for pair in labellings(head, scores[row], length) if allowed(pair[0])), key=lambda pair: pair[1])[0]
        for row, length in enumerate(LENGTHS)
    ]
    assert limited.decode(scores, mask) == best
    assert best != head.decode(scores, mask)


def test_padding_and_neighbours_in_the_batch_change_nothing(head, scores, mask):
    for row, length in enumerate(LENGTHS):
        alone, there = scores[row : row + 1, :length], mask[row : row + 1, :length]
        assert head.decode(alone, there) == head.decode(scores, mask)[row : row + 1]
    targets = TARGETS["partly annotated"]
    together = head.loss(scores, head.collate(targets, max(LENGTHS)), mask)
    apart = sum(
        head.loss(scores[row : row + 1, :length], head.collate([targets[row]], length), mask[row : row + 1, :length])
        for row, length in enumerate(LENGTHS)
    )
    torch.testing.assert_close(together, apart)


def test_example_without_units_has_an_empty_prediction(head, scores, mask):
    mask = mask.clone()
    mask[1] = False
    assert head.decode(scores, mask)[1] == []


@pytest.mark.parametrize("limited", [False, True])
def test_posteriors_are_shares_of_every_labelling(head, scores, mask, limited):
    first, pairs = [True, False, True], [[True, False, True], [True, True, False], [False, True, True]]
    if limited:
        free, head = head, CRF(5, LABELS, first=first, pairs=pairs)
        head.load_state_dict(free.state_dict())

    def allowed(labels):
        return not limited or (first[labels[0]] and all(pairs[a][b] for a, b in itertools.pairwise(labels)))

    found = head.probabilities(scores, mask, head.decode(scores, mask))
    for row, length in enumerate(LENGTHS):
        scored = [pair for pair in labellings(head, scores[row], length) if allowed(pair[0])]
        total = log_sum(score for _, score in scored)
        expected = torch.zeros(length, LABELS)
        for labels, score in scored:
            expected[range(length), labels] += torch.tensor(score - total).exp()
        torch.testing.assert_close(torch.from_numpy(found[row]), expected, atol=1e-5, rtol=1e-4)
