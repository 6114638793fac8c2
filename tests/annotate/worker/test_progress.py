"""One bar over tasks, rounds and folds, with the loss."""

from types import SimpleNamespace

import pytest
import torch

from annotate.worker.progress import JobProgress
from fewshot.progress import Progress

TEN = SimpleNamespace(updates=lambda: {"zero-shot": 1, "shots": 9})
"""An experiment of 1 + 9 updates."""


@pytest.fixture
def told():
    """What was reported."""
    return []


@pytest.fixture
def progress(told):
    """Two experiments of one task."""
    job = JobProgress(told.append)
    job.begin_task([TEN, TEN])
    return job


def test_bar_covers_all_experiments_and_what_was_there_before_takes_no_time(progress, told):
    for number in range(2):
        say = progress.during(f"pos, part {number + 1}", TEN)
        say(Progress(1, 10, "zero-shot"))
        for update in range(1, 10):
            say(Progress(1 + update, 10, "seed 1", torch.tensor(0.5), kept=10 * number))
    shares = [now.share for now in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[9], shares[-1]) == pytest.approx((0.05, 0.5, 1.0))
    assert told[0].doing == "pos, part 1, zero-shot"
    assert (told[-1].doing, told[-1].loss, told[-1].kept) == ("pos, part 2, seed 1", 0.5, 0.5)


def test_each_task_is_an_equal_part(told):
    progress = JobProgress(told.append, tasks=2)
    for experiments in ([TEN], [TEN, TEN, TEN]):
        progress.begin_task(experiments)
        for experiment in experiments:
            progress.during("", experiment)(Progress(10, 10))
    assert [now.share for now in told] == pytest.approx([1 / 2, 4 / 6, 5 / 6, 1])
