"""One bar over rounds and folds, with the loss."""

import pytest
import torch

from annotate.worker import progress
from fewshot.experiments.plan import ZERO_SHOT, Condition
from fewshot.experiments.run import Event
from fewshot.training.recipe import Recipe

SHOT = Condition("random", 10, 0, 0)


@pytest.fixture
def told():
    """What was reported: progress, message, and what was there before."""
    return []


@pytest.fixture
def plans(told):
    """Two plans of 1 + 9 updates."""
    return progress.Plans(lambda *report: told.append(report), [10, 10], seeds=1, recipe=Recipe(updates=9))


def test_bar_covers_all_plans(plans, told):
    for number in range(2):
        say = plans.next(f"pos, part {number + 1}", 10)
        say(Event(ZERO_SHOT, 1, 10, result=object()))
        for update in range(1, 10):
            say(Event(SHOT, 1 + update, 10, loss=torch.tensor(0.5)))
        say(Event(SHOT, 10, 10, result=object()))
    shares = [share for share, _, _ in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[10], shares[-1]) == (0.05, 0.5, 1.0)
    assert told[0][1] == "pos, part 1, zero-shot"
    assert told[-1][1] == "pos, part 2, seed 1"
    assert told[-1][2] == pytest.approx(0.1)  # no update was seen of zero-shot


def test_what_was_there_before_takes_no_time(plans, told):
    say = plans.next("pos, k = 10", 10)
    say(Event(ZERO_SHOT, 1, 10, result=object()))
    say(Event(SHOT, 10, 10, result=object()))
    assert told[-1] == (0.5, "pos, k = 10, seed 1", 0.5)


def test_loss_is_read_once_a_second(plans, told, monkeypatch):
    passed = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: passed)
    say = plans.next("pos", 10)
    for update, seconds in ((1, 0.0), (2, 0.9), (3, 1.1)):
        passed = 100.0 + seconds
        say(Event(SHOT, update, 10, loss=torch.tensor(1.0 / update)))
    assert [message for _, message, _ in told] == [
        "pos, seed 1, loss 1.000", "pos, seed 1, loss 1.000", "pos, seed 1, loss 0.333",
    ]  # fmt: skip
