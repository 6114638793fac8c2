import hashlib
import pickle
import random
from collections import Counter
from itertools import islice

import pytest
import torch
from making import made_up

from fewshot.corpora import load
from fewshot.heads.classifier import IGNORE
from fewshot.training import batching, mixture
from fewshot.training.batching import bucket_batches, prediction_batches, prepare, training_batches
from fewshot.training.fit import label_weights
from fewshot.training.mixture import Mixture, counts, join_corpora, parts, passes, shares


def test_batches_hold_every_row_once_and_similar_sizes_within_the_budget():
    rng = random.Random(0)
    sizes = [rng.randint(1, 100) for _ in range(403)]
    batches = bucket_batches(rng.sample(range(403), 403), sizes, 16, rng)
    assert sorted(row for batch in batches for row in batch) == list(range(403))
    assert max(map(len, batches)) == 16
    assert sum(max(sizes[row] for row in batch) * len(batch) for batch in batches) < 1.15 * sum(sizes)
    sizes = [5, 900, 30, 30, 2, 7]
    batches = list(prediction_batches(sizes, budget=100))
    assert sorted(row for batch in batches for row in batch) == list(range(6))
    assert all(len(batch) == 1 or max(sizes[row] for row in batch) * len(batch) <= 100 for batch in batches)


def test_loss_of_parts_is_that_of_the_whole_batch(source_model, sentences, monkeypatch):
    prepared = prepare(source_model, sentences[:12])

    def loss():
        parts = next(training_batches(source_model, prepared, 12, 0, torch.device("cpu")))
        head = source_model.head
        total = sum(head.loss(source_model(batch), targets, batch.mask) for batch, targets in parts)
        return len(parts), (total / sum(head.count_annotated(targets) for _, targets in parts)).item()

    one, whole = loss()
    monkeypatch.setattr(batching, "MAX_CPU_PIECES", 100)
    parts, in_parts = loss()
    assert (parts > 1, one) == (True, 1)
    assert in_parts == pytest.approx(whole, rel=0.01)


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ([[0, 0, 0, 1], [0, 0, 0, 2]], [2 / 3, 2, 2]),  # two inside, six outside: a third for each, mean one half
        ([[0] * 97 + [1] * 2 + [2]], [100 / 6 * 3 / 97, 100 / 6, 100 / 6]),
        ([[0, 1, IGNORE], [2]], [1, 1, 1]),  # fewer outside than inside: as they are
        ([[0, 0], [0, IGNORE]], [0, 1, 1]),  # no name: nothing to learn
        ([], [0, 1, 1]),
    ],
)
def test_one_label_weighs_at_most_what_the_others_do(targets, expected):
    assert label_weights(targets, 3, 0).tolist() == pytest.approx(expected)


CPU = torch.device("cpu")


def test_a_mixture_is_the_examples_of_its_corpora_in_order_and_its_fingerprint_theirs():
    one, other = made_up(3, seed=1), made_up(2, seed=2)
    mixed = join_corpora([one, other])
    assert list(mixed) == [*one, *other] and len(mixed) == 5 and mixed[-1] == other[-1]
    assert [list(part) for part in parts(mixed)] == [one, other]
    assert join_corpora([one]) is one and list(parts(one)) == [one]
    assert list(pickle.loads(pickle.dumps(mixed))) == list(mixed)
    assert mixture.fingerprint(one) == load.fingerprint(one)
    assert mixture.fingerprint(join_corpora([one, other])) == f"{load.fingerprint(one)}+{load.fingerprint(other)}"


def test_shares_grow_with_the_size_to_the_power_of_a_third():
    assert shares([1000, 1]) == pytest.approx([1000**0.3 / (1000**0.3 + 1), 1 / (1000**0.3 + 1)])
    assert counts([700]) == [700]
    for sizes in ([900, 100], [12544, 400, 31], [5, 5, 5], [1, 1000]):
        assert sum(counts(sizes)) == sum(sizes)
        assert all(abs(n - p * sum(sizes)) < 1 for n, p in zip(counts(sizes), shares(sizes), strict=True))


def test_every_corpus_comes_by_its_share_and_whole_before_it_comes_again():
    sizes = [90, 10]
    first = next(passes(sizes, random.Random(0)))
    large, small = counts(sizes)
    found = Counter(first)
    assert sum(found[row] for row in range(90)) == large and sum(found[row] for row in range(90, 100)) == small
    assert max(found[row] for row in range(90)) == 1
    seen = [found[row] for row in range(90, 100)]
    assert max(seen) - min(seen) <= 1 and min(seen) > 1
    assert first != sorted(first)
    assert first[:large] != [row for row in first if row < 90]  # corpora are not one behind the other


def test_the_batches_of_a_training_on_one_corpus_are_always_the_same(source_model, sentences):
    prepared = prepare(source_model, sentences[:30])
    digest = hashlib.sha256()
    for batches in islice(training_batches(source_model, prepared, 4, 7, CPU), 20):
        for batch, targets in batches:
            digest.update(batch.ids.numpy().tobytes() + targets.numpy().tobytes())
    assert digest.hexdigest()[:16] == "97841d884436429f"


def test_a_mixture_of_examples_is_prepared_corpus_by_corpus(source_model):
    one, small = made_up(40, seed=1), made_up(5, seed=2, name="small")
    prepared, alone = prepare(source_model, join_corpora([one, small])), prepare(source_model, [*one, *small])
    assert (prepared.corpora, alone.corpora) == ((40, 5), (45,))
    assert len(prepared.pieces) == len(prepared.targets) == 45
    assert alone.pieces == prepared.pieces
    assert prepare(source_model, Mixture((one,))) == prepare(source_model, one)
