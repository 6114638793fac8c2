"""Times of annotation: published at first, measured later."""

import numpy as np
import pytest

from fewshot import tasks
from fewshot.costs.time_model import Item, fit, fit_each
from fewshot.errors import FewshotError

DEP = tasks.get("dep").time


def measured(n, item=5.0, token=2.0, edit=6.0, noise=0.3, seed=0, annotator="a"):
    rng = np.random.default_rng(seed)
    items = []
    for _ in range(n):
        tokens = int(rng.integers(3, 50))
        edits = int(rng.integers(0, tokens + 1))
        seconds = (item + token * tokens + edit * edits) * np.exp(noise * rng.normal() - noise**2 / 2)
        items.append(Item(annotator, tokens, edits, float(seconds)))
    return items


def test_published_time_of_pos_is_that_of_annotating_from_scratch():
    assert tasks.get("pos").time.minutes([(60, 60)]) == pytest.approx(2.6)
    assert tasks.get("dep+upos").time == DEP


def test_without_items_the_model_is_the_published_one():
    model = fit([], DEP)
    assert model.seconds == pytest.approx([0, 1.55, 10.4], abs=1e-6)
    minutes = model.predict([(20, 5)] * 10)
    assert minutes.expected == pytest.approx(minutes.published) == pytest.approx(10 * (31 + 52) / 60)
    assert minutes.low < 0.7 * minutes.expected
    assert minutes.high > 1.4 * minutes.expected


def test_many_items_speak_for_themselves_and_no_coefficient_is_negative():
    model = fit(measured(1500), DEP)
    assert model.seconds == pytest.approx([5, 2, 6], rel=0.25)
    assert model.spread == pytest.approx(0.3, abs=0.03)
    falling = [Item("a", tokens, 0, 200.0 / tokens) for tokens in range(2, 60)]
    assert (fit(falling, DEP).replicates >= 0).all()


def test_few_items_lie_between_the_published_and_their_own_time():
    times = [fit(measured(n, noise=0), DEP).predict([(30, 30)]).expected * 60 for n in (0, 5, 20, 500)]
    assert times == sorted(times, reverse=True)
    assert times[0] == pytest.approx(30 * (1.55 + 10.4))
    assert times[-1] == pytest.approx(5 + 60 + 180, rel=0.03)


def test_intervals_hold_80_of_100_batches():
    held = []
    for seed in range(120):
        model = fit(measured(40, seed=seed), DEP)
        batch = measured(20, seed=1000 + seed)
        minutes = model.predict([(item.tokens, item.edits) for item in batch])
        held.append(minutes.low <= sum(item.seconds for item in batch) / 60 <= minutes.high)
    assert 0.72 < np.mean(held) < 0.95


def test_measured_and_published_stand_side_by_side_and_untimed_items_are_left_out():
    model = fit([Item("a", 10, 2, 60.0), Item("a", 10, 2, 0.0)], DEP)
    assert (model.items, model.measured) == (1, 1.0)
    assert model.published == pytest.approx((15.5 + 20.8) / 60)
    with pytest.raises(FewshotError, match=r"a: an item of 3 tokens, 0 edits and -1\.0 s"):
        fit([Item("a", 3, 0, -1.0)], DEP)


def test_each_annotator_has_a_model():
    models = fit_each([*measured(50), *measured(50, token=8.0, annotator="slow")], DEP)
    assert list(models) == ["a", "slow"]
    assert models["slow"].predict([(20, 0)]).expected > 2 * models["a"].predict([(20, 0)]).expected
