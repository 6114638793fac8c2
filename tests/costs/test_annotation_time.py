from dataclasses import replace

import numpy as np
import pytest

from fewshot import tasks
from fewshot.costs.speed_up import speed_up
from fewshot.costs.time_model import TimedItem, fit, fit_by_annotator
from fewshot.errors import FewshotError

DEP = tasks.get("dep").time


def measured(n, item=5.0, token=2.0, edit=6.0, noise=0.3, seed=0, annotator="a"):
    rng = np.random.default_rng(seed)
    items = []
    for _ in range(n):
        tokens = int(rng.integers(3, 50))
        edits = int(rng.integers(0, tokens + 1))
        seconds = (item + token * tokens + edit * edits) * np.exp(noise * rng.normal() - noise**2 / 2)
        items.append(TimedItem(annotator, tokens, edits, float(seconds)))
    return items


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
    falling = [TimedItem("a", tokens, 0, 200.0 / tokens) for tokens in range(2, 60)]
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
    model = fit([TimedItem("a", 10, 2, 60.0), TimedItem("a", 10, 2, 0.0)], DEP)
    assert (model.items, model.measured) == (1, 1.0)
    assert model.published == pytest.approx((15.5 + 20.8) / 60)
    with pytest.raises(FewshotError, match=r"a: negative value: 3 tokens, 0 edits, -1\.0 s"):
        fit([TimedItem("a", 3, 0, -1.0)], DEP)


def test_each_annotator_has_a_model():
    models = fit_by_annotator([*measured(50), *measured(50, token=8.0, annotator="slow")], DEP)
    assert list(models) == ["a", "slow"]
    assert models["slow"].predict([(20, 0)]).expected > 2 * models["a"].predict([(20, 0)]).expected


def items(annotator, pace, faster, n=200, blind_share=0.2, agreement=(0.7, 0.8), seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for number in range(n):
        blind = number < n * blind_share
        tokens = int(rng.integers(3, 40))
        seconds = tokens * pace * (1 if blind else 1 - faster) * np.exp(0.3 * rng.normal())
        agreed = float(np.clip(agreement[0 if blind else 1] + 0.1 * rng.normal(), 0, 1))
        made.append(TimedItem(annotator, tokens, 2, float(seconds), blind, True, agreed))
    return made


def test_speed_up_and_anchoring_are_those_of_the_items():
    found = speed_up(items("a", 3.0, 0.3, n=2000))
    assert found.saved.value == pytest.approx(0.3, abs=0.03)
    assert found.saved.low < 0.3 < found.saved.high
    assert found.anchoring.value == pytest.approx(0.1, abs=0.02)
    assert found.shown < found.blind


def test_slow_annotators_with_more_blind_items_are_no_speed_up():
    both = [*items("fast", 1.0, 0.0, n=500, blind_share=0.1), *items("slow", 9.0, 0.0, n=500, blind_share=0.9, seed=1)]
    found = speed_up(both)
    assert abs(found.saved.value) < 0.1
    assert found.saved.low < 0 < found.saved.high


def test_interval_holds_95_of_100_truths():
    held = [
        found.saved.low <= 0.25 <= found.saved.high
        for found in (speed_up(items("a", 3.0, 0.25, n=100, seed=seed)) for seed in range(24))
    ]
    assert np.mean(held) > 0.86


def test_without_both_kinds_or_without_suggestions_nothing_is_said():
    both = items("a", 3.0, 0.3)
    shown = [item for item in both if not item.blind]
    assert speed_up(shown) is None
    assert speed_up([*shown, TimedItem("b", 5, 1, 9.0, True, True)]) is None
    assert speed_up([replace(item, suggested=False, agreement=None) for item in both]) is None
    assert speed_up([replace(item, agreement=None) for item in both]).anchoring is None
    late = [replace(item, suggested=False, agreement=None, seconds=9 * item.seconds) for item in both]
    assert speed_up([*late, *both]) == speed_up(both)  # these are neither shown nor blind
