import random

import pytest
import torch

from fewshot.training import batching
from fewshot.training.batching import bucket_batches, prediction_batches, prepare, training_batches


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
