import io

import pytest
from rich.console import Console

from fewshot.cli.common.base import progress_bar
from fewshot.progress import Progress


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


class Loss:
    read = 0

    def __float__(self):
        Loss.read += 1
        return 0.4123


@pytest.fixture
def clock():
    Loss.read = 0
    return Clock()


def work(clock, steps, terminal=False, doing="updates"):
    """Return what is printed of ``(seconds, progress)``."""
    console = Console(file=io.StringIO(), force_terminal=terminal, width=120)
    with progress_bar(console, doing, clock) as report:
        for clock.seconds, now in steps:
            report(now)
    return console.file.getvalue()


def test_a_line_after_ten_seconds_and_then_one_a_minute(clock):
    steps = [(second, Progress(second, 1176, loss=Loss())) for second in range(1, 140)]
    lines = work(clock, steps).splitlines()
    assert lines == [
        "updates  10/1176  loss 0.412  0:19:26 left",
        "updates  70/1176  loss 0.412  0:18:26 left",
        "updates  130/1176  loss 0.412  0:17:26 left",
    ]
    assert Loss.read == 3


def test_short_work_prints_nothing(clock):
    assert work(clock, [(second, Progress(second, 9)) for second in range(10)]) == ""


def test_what_was_there_before_took_no_time(clock):
    steps = [(0, Progress(900, 1000, kept=900)), (50, Progress(950, 1000, kept=900))]
    assert work(clock, steps) == "updates  950/1000  0:00:50 left\n"
    grows = [(0, Progress(0, 100)), (20, Progress(90, 100, kept=80))]
    assert work(Clock(), grows) == "updates  90/100  0:00:20 left\n"


@pytest.mark.parametrize("other", [(1, 20), (1, 10)])
def test_time_left_is_of_this_work(clock, other):
    done, total = other
    steps = [(1, Progress(1, 10)), (5, Progress(9, 10)), (100, Progress(done, total)), (200, Progress(2, total))]
    assert work(clock, steps).splitlines() == [
        f"updates  1/{total}",
        f"updates  2/{total}  {'0:30:00' if total == 20 else '0:13:20'} left",
    ]


def test_work_says_what_it_does_and_may_have_no_end(clock):
    steps = [(11, Progress(0, 0, "reading the corpus")), (80, Progress(512, 0))]
    assert work(clock, steps, doing="labelled").splitlines() == ["reading the corpus", "labelled  512"]


def test_a_bar_moves_on_a_terminal_and_reads_the_loss_once_a_second(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    shown = work(clock, [(second / 10, Progress(second, 40, loss=Loss())) for second in range(1, 41)], terminal=True)
    assert "40/40" in shown
    assert "loss 0.412" in shown
    assert "left" not in shown
    assert Loss.read == 4
