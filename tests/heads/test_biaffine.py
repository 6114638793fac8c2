import numpy as np
import pytest
import torch
from torch.nn import functional

from fewshot.heads import Biaffine
from fewshot.heads.biaffine import MAX_DISTANCE, TAG_LOSS
from fewshot.heads.classifier import IGNORE
from fewshot.heads.trees import are_trees, best_tree

LABELS, ROOT, LENGTHS = 7, 2, (5, 1, 4, 3)


def parser(hidden=16, **options):
    torch.manual_seed(0)
    return Biaffine(hidden, LABELS, ROOT, **options).eval()


def batch(hidden=16, lengths=LENGTHS, seed=0):
    generator = torch.Generator().manual_seed(seed)
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    vectors = torch.randn(len(lengths), max(lengths), hidden, generator=generator) * mask.unsqueeze(-1)
    return vectors, mask, torch.zeros(mask.shape, dtype=torch.long)


def gold(length, columns=2):
    """Every word hangs on the one before; labels and tags count up."""
    return [[word, word % LABELS, word % 3][:columns] for word in range(length)]


def test_arcs_are_biaffine_and_loss_is_the_cross_entropy_of_heads_and_labels():
    head, (vectors, mask, features) = parser(), batch()
    targets = [gold(length) for length in LENGTHS]
    with torch.no_grad():
        scores = head(vectors, mask, features)
        padded = head.collate(targets, max(LENGTHS))
        loss, count = head.loss(scores, padded, mask), head.count_annotated(padded)
        expected = 0.0
        for row, words in enumerate(targets):
            for word, (arc, label) in enumerate(words):
                arcs = scores.arcs[row, word, : len(words) + 1]
                dependent = torch.cat([scores.dependents[row, word], torch.ones(1)])
                candidate = torch.cat([scores.heads[row, arc], torch.ones(1)])
                forms = head.label.weight.view(LABELS, len(candidate), len(dependent))
                labels = torch.einsum("lhd,h,d->l", forms, candidate, dependent)
                expected -= float(arcs.log_softmax(0)[arc] + labels.log_softmax(0)[label])
    assert count == sum(LENGTHS)
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    dependent = head.arc_dependent(vectors[0, 1])
    for place, candidate in enumerate([head.root, *vectors[0]]):
        other = head.arc_head(candidate)
        arc = dependent @ head.arc.weight.T @ other + head.arc.bias @ other
        arc = -torch.inf if place == 2 else arc.item()  # no word is its own head
        assert float(scores.arcs[0, 1, place]) == pytest.approx(arc, abs=1e-4)


def test_distances_of_heads_are_scored():
    head, (vectors, mask, features) = parser(distance=True), batch(lengths=(MAX_DISTANCE + 9,))
    with torch.no_grad():
        arcs = head(vectors, mask, features).arcs[0]
        distances = head.distance(head.arc_dependent(vectors[0]))
        head.distance = None
        plain = head(vectors, mask, features).arcs[0]
    torch.testing.assert_close(arcs[:, 0], plain[:, 0])
    for word, place in ((3, 5), (5, 3), (0, MAX_DISTANCE), (0, MAX_DISTANCE + 4), (MAX_DISTANCE + 8, 0)):
        step = max(-MAX_DISTANCE, min(MAX_DISTANCE, place - word)) + MAX_DISTANCE
        added = arcs[word, place + 1] - plain[word, place + 1]
        torch.testing.assert_close(added, distances[word, step], atol=1e-4, rtol=0)


@pytest.mark.parametrize("distance", [False, True])
def test_scores_do_not_depend_on_padding(distance):
    head, (vectors, mask, features) = parser(distance=distance), batch()
    together = head(vectors, mask, features).arcs
    for row, length in enumerate(LENGTHS):
        alone = head(vectors[row : row + 1, :length], mask[row : row + 1, :length], features[row : row + 1, :length])
        torch.testing.assert_close(together[row, :length, : length + 1], alone.arcs[0])
        assert (together[row, :, length + 1 :] == -torch.inf).all()


def test_words_that_nobody_annotated_teach_nothing():
    head, (vectors, mask, features) = parser(), batch(lengths=(4, 4))
    vectors.requires_grad_()
    partly = gold(4)
    partly[1] = [IGNORE, IGNORE]
    targets = head.collate([partly, [[IGNORE, IGNORE]] * 4], 4)
    loss, count = head.loss(head(vectors, mask, features), targets, mask), head.count_annotated(targets)
    loss.backward()
    assert count == 3
    assert vectors.grad[0].abs().sum() > 0
    assert vectors.grad[1].abs().sum() == 0
    assert all(parameter.grad.isfinite().all() for parameter in head.parameters())


def test_decoding_gives_the_best_tree_and_the_best_label_of_each_arc():
    head, (vectors, mask, features) = parser(), batch(lengths=(9, 1, 6, 2))
    with torch.no_grad():
        scores = head(3 * vectors, mask, features)
        decoded = head.decode(scores, mask)
        for row, (heads, labels) in enumerate(decoded):
            length = int(mask[row].sum())
            assert are_trees(np.array([heads]), np.ones((1, length), dtype=bool)).all()
            assert heads == best_tree(scores.arcs[row, :length, : length + 1].numpy()).tolist()
            padded = torch.tensor([[*heads, *[0] * (mask.shape[1] - length)]] * len(mask))
            of_arcs = head.labels(scores, padded)[row, :length]
            of_arcs[:, ROOT] = -torch.inf
            best = of_arcs.argmax(-1).tolist()
            assert labels == [ROOT if arc == 0 else label for arc, label in zip(heads, best, strict=True)]


def test_features_are_read_and_none_is_nothing():
    head, (vectors, mask, features) = parser(features=5), batch()
    plain = head(vectors, mask, features).arcs
    other = features.clone()
    other[0, 0] = 3
    changed = head(vectors, mask, other).arcs
    assert (changed[0] != plain[0]).any()
    assert (changed[1:] == plain[1:]).all()
    assert (head.features(features) == 0).all()


def test_tags_add_their_weighted_loss():
    head, (vectors, mask, features) = parser(tags=3), batch()
    targets = head.collate([gold(length, columns=3) for length in LENGTHS], max(LENGTHS))
    without = targets.clone()
    without[..., 2] = IGNORE
    with torch.no_grad():
        scores = head(vectors, mask, features)
        loss, plain = head.loss(scores, targets, mask), head.loss(scores, without, mask)
    tags = functional.cross_entropy(scores.tags[mask], targets[..., 2][mask], reduction="sum")
    assert head.count_annotated(targets) == head.count_annotated(without)
    assert float(loss - plain) == pytest.approx(TAG_LOSS * float(tags), rel=1e-3)


def test_probabilities_are_those_of_each_head_and_of_the_labels_of_the_arc_that_was_chosen():
    head, (vectors, mask, features) = parser(), batch(seed=3)
    with torch.no_grad():
        scores = head(vectors, mask, features)
        decoded = head.decode(scores, mask)
        found = head.probabilities(scores, mask, decoded)
        for row, ((heads, labels), (arcs, relations)) in enumerate(zip(decoded, found, strict=True)):
            assert arcs.shape == (len(heads), len(heads) + 1)
            for word, (arc, label) in enumerate(zip(heads, labels, strict=True)):
                every = scores.arcs[row, word].exp()  # of no word and of itself: 0
                assert arcs[word] == pytest.approx((every / every.sum())[: len(heads) + 1].numpy(), abs=1e-6)
                alone = torch.zeros(mask.shape, dtype=torch.long)
                alone[row, word] = arc
                of_arc = head.labels(scores, alone)[row, word].exp()
                of_arc[[place for place in range(LABELS) if (place == ROOT) != (arc == 0)]] = 0
                assert relations[word] == pytest.approx((of_arc / of_arc.sum()).numpy(), abs=1e-6)
                assert relations[word].argmax() == label
