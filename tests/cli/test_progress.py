import io

import pytest
import torch
from rich.console import Console

from fewshot.cli.common.dry_run import DryRun
from fewshot.cli.common.progress import progress_bar
from fewshot.costs import prices
from fewshot.experiments.training_time import RemainingTime
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


def work(clock, steps, terminal=False):
    """Return what is printed of ``(seconds, progress)``."""
    console = Console(file=io.StringIO(), force_terminal=terminal, width=120)
    with progress_bar(console, "updates", clock) as report:
        for clock.seconds, now in steps:
            report(now)
    return console.file.getvalue()


def of_one(total):
    """Work that is begun again with another total after nine of ten."""
    return [(1, Progress(1, 10)), (5, Progress(9, 10)), (100, Progress(1, total)), (200, Progress(2, total))]


@pytest.mark.parametrize(
    ("steps", "lines"),
    [
        ([(second, Progress(second, 9)) for second in range(10)], []),
        (
            [(0, Progress(900, 1000, kept=900)), (50, Progress(950, 1000, kept=900))],
            ["updates  950/1000  0:00:50 left"],
        ),
        ([(0, Progress(0, 100)), (20, Progress(90, 100, kept=80))], ["updates  90/100  0:00:20 left"]),
        (of_one(20), ["updates  1/20", "updates  2/20  0:30:00 left"]),
        (of_one(10), ["updates  1/10", "updates  2/10  0:13:20 left"]),
        ([(11, Progress(0, 0, "reading the corpus")), (80, Progress(512, 0))], ["reading the corpus", "updates  512"]),
    ],
    ids=["short", "kept before", "kept later", "another total", "anew", "without an end"],
)
def test_lines_say_how_far_the_work_is_and_what_is_left(clock, steps, lines):
    assert work(clock, steps).splitlines() == lines


def test_a_line_after_ten_seconds_and_then_one_a_minute(clock):
    steps = [(second, Progress(second, 1176, loss=Loss())) for second in range(1, 140)]
    assert work(clock, steps).splitlines() == [
        "updates  10/1176  loss 0.412  0:19:26 left",
        "updates  70/1176  loss 0.412  0:18:26 left",
        "updates  130/1176  loss 0.412  0:17:26 left",
    ]
    assert Loss.read == 3


def test_a_bar_moves_on_a_terminal_and_reads_the_loss_once_a_second(clock, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    shown = work(clock, [(second / 10, Progress(second, 40, loss=Loss())) for second in range(1, 41)], terminal=True)
    assert "40/40" in shown
    assert "loss 0.412" in shown
    assert "left" not in shown
    assert Loss.read == 4


def test_a_dry_run_prints_whole_names_of_runs_in_a_narrow_terminal():
    output = io.StringIO()
    dry_run = DryRun(prices.load(), Console(file=output, width=70))
    for method in ("full", "lauscher2020"):
        name = f"wo-pos-my_treebank-xlm-roberta-base-{method}"
        dry_run._runs.append(RemainingTime(name, 12, 12, 90.0, 90.0, None, 5.0))
    dry_run.show(torch.device("cpu"))
    assert "…" not in output.getvalue()
    assert "er2020" in output.getvalue()
