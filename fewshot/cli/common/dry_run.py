"""What a dry run says of runs: how many trainings, how long they take, what they cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from fewshot.cli.common.base import progress_bar
from fewshot.progress import duration

if TYPE_CHECKING:
    import torch

    from fewshot.costs.prices import Rates
    from fewshot.experiments.executors.base import Workers
    from fewshot.experiments.experiment import Experiment
    from fewshot.experiments.training_time import RemainingTime
    from fewshot.options import Request


class DryRun:
    """Predicts the time and cost of several runs.

    Of each task, encoder and method one training is timed, unless there is one already.

    Args:
        rates: prices.
        screen: where it is said.
    """

    def __init__(self, rates: Rates, screen: Console) -> None:
        self._rates, self._screen = rates, screen
        self._paces: dict[Request, float] = {}
        self._found: list[RemainingTime] = []

    def add(self, request: Request, experiment: Experiment, folder: Path, workers: Workers) -> None:
        """Find how long a run will take; a training that is timed keeps its result in the folder of the run."""
        from fewshot.experiments import training_time

        kind = training_time.pace_key(request)
        pace = self._paces.get(kind) or training_time.read_pace(experiment, folder)
        if pace is None:
            self._screen.print(f"timing a training of {folder.name}", soft_wrap=True)
            with progress_bar(self._screen, "timing") as report:
                pace = training_time.measure_pace(experiment, folder, self._rates, workers, report)
        if pace:  # a run of zero-shot alone has none, and the next of its kind is timed
            self._paces[kind] = pace
        self._found.append(training_time.estimate_remaining(experiment, folder, pace, workers, self._rates))

    def show(self, device: torch.device) -> None:
        """Print a row for each run, and the sums."""
        table = Table("", "trainings", "to do", "at once", "time", "annotation, $", box=None, header_style="dim")
        for one in self._found:
            row = f"{one.trainings:,}", f"{one.left:,}", str(one.at_once or 1), duration(one.seconds)
            table.add_row(one.name, *row, f"{one.dollars:,.2f}")
        self._screen.print(table)
        seconds, paid, left, trainings = (
            sum(getattr(one, name) for one in self._found) for name in ("seconds", "paid_seconds", "left", "trainings")
        )
        self._screen.print(
            f"{left:,} of {trainings:,} trainings to do: {duration(seconds)} on {device.type}, "
            f"${self._rates.compute[device.type].dollars(paid):.2f} of computing. "
            "Annotation is what one draw of the largest k would cost.",
            soft_wrap=True,
        )
