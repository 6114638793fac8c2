"""Several corpora in one training: shares, passes, and that one corpus is trained on as ever."""

import hashlib
import pickle
import random
from collections import Counter
from itertools import islice

import pytest
import torch
from making import made_up

from fewshot import tasks
from fewshot.corpora import load
from fewshot.training import mixture
from fewshot.training.adapt import train_source
from fewshot.training.batching import prepare, training_batches
from fewshot.training.mixture import Mixture, counts, joined, parts, passes, shares

CPU = torch.device("cpu")


def test_a_mixture_is_the_examples_of_its_corpora_in_order():
    one, other = made_up(3, seed=1), made_up(2, seed=2)
    mixed = joined([one, other])
    assert list(mixed) == [*one, *other] and len(mixed) == 5 and mixed[-1] == other[-1]
    assert [list(part) for part in parts(mixed)] == [one, other]
    assert joined([one]) is one and list(parts(one)) == [one]
    assert list(pickle.loads(pickle.dumps(mixed))) == list(mixed)


def test_the_fingerprint_of_one_corpus_is_what_it_was_and_of_several_tells_them_apart():
    one, other = made_up(3, seed=1), made_up(2, seed=2)
    assert mixture.fingerprint(one) == load.fingerprint(one)
    assert mixture.fingerprint(joined([one, other])) == f"{load.fingerprint(one)}+{load.fingerprint(other)}"


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


def test_passes_over_one_corpus_are_those_that_there_were_before_mixtures():
    rng, before = random.Random(3), random.Random(3)
    for rows in islice(passes([50], rng), 3):
        order = list(range(50))
        before.shuffle(order)
        assert rows == order
    assert rng.random() == before.random()


def test_a_training_on_one_corpus_reads_the_batches_that_it_read_before_mixtures(source_model, sentences):
    prepared = prepare(source_model, sentences[:30])
    digest = hashlib.sha256()
    for batches in islice(training_batches(source_model, prepared, 4, 7, CPU), 20):
        for batch, targets in batches:
            digest.update(batch.ids.numpy().tobytes() + targets.numpy().tobytes())
    assert digest.hexdigest()[:16] == "97841d884436429f"


def test_a_mixture_of_examples_is_learned_by_its_shares(encoder, source_model):
    mixed = joined([made_up(40, seed=1), made_up(5, seed=2, name="small")])
    prepared = prepare(source_model, mixed)
    assert prepared.corpora == (40, 5)
    assert len(prepared.pieces) == len(prepared.targets) == 45
    alone = prepare(source_model, list(mixed))
    assert alone.corpora == (45,) and alone.pieces == prepared.pieces


def test_a_mixture_of_one_corpus_is_trained_to_the_same_weights(encoder, sentences):
    from making import small_recipe

    recipe = small_recipe(updates=6, batch=4, average=1)
    task = tasks.get("pos")
    alone = train_source(task, encoder, sentences[:20], recipe, 0, CPU)
    mixed = train_source(task, encoder, Mixture((sentences[:20],)), recipe, 0, CPU)
    two = train_source(task, encoder, joined([sentences[:15], sentences[15:20]]), recipe, 0, CPU)
    same = [torch.equal(a, b) for a, b in zip(alone.state_dict().values(), mixed.state_dict().values(), strict=True)]
    other = [torch.equal(a, b) for a, b in zip(alone.state_dict().values(), two.state_dict().values(), strict=True)]
    assert all(same) and not all(other)
