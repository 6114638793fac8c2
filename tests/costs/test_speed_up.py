"""What suggestions save and how they anchor, from blind and shown items."""

from dataclasses import replace

import numpy as np
import pytest

from fewshot.costs.speed_up import speed_up
from fewshot.costs.time_model import Item


def items(annotator, pace, faster, n=200, blind_share=0.2, agreement=(0.7, 0.8), seed=0):
    rng = np.random.default_rng(seed)
    made = []
    for number in range(n):
        blind = number < n * blind_share
        tokens = int(rng.integers(3, 40))
        seconds = tokens * pace * (1 if blind else 1 - faster) * np.exp(0.3 * rng.normal())
        agreed = float(np.clip(agreement[0 if blind else 1] + 0.1 * rng.normal(), 0, 1))
        made.append(Item(annotator, tokens, 2, float(seconds), blind, True, agreed))
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
    assert speed_up([*shown, Item("b", 5, 1, 9.0, True, True)]) is None
    assert speed_up([replace(item, suggested=False, agreement=None) for item in both]) is None
    assert speed_up([replace(item, agreement=None) for item in both]).anchoring is None
    late = [replace(item, suggested=False, agreement=None, seconds=9 * item.seconds) for item in both]
    assert speed_up([*late, *both]) == speed_up(both)  # these are neither shown nor blind
