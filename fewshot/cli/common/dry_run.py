"""The output of a dry run: number of trainings, estimated time and cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from fewshot.cli.common.progress import progress_bar
from fewshot.progress import format_duration

if TYPE_CHECKING:
    import torch

    from fewshot.costs.prices import Rates
    from fewshot.experiments.executors.base import Workers
    from fewshot.experiments.experiment import Experiment
    from fewshot.experiments.training_time import RemainingTime
    from fewshot.options import Request


class DryRun:
    """Estimates the time and cost of several runs.

    One training of each task, encoder and method is timed, unless its result is stored.
    """

    def __init__(self, rates: Rates, screen: Console) -> None:
        self._rates, self._screen = rates, screen
        self._paces: dict[Request, float] = {}
        self._runs: list[RemainingTime] = []

    def add(self, request: Request, experiment: Experiment, folder: Path, workers: Workers) -> None:
        """Estimate the remaining work of a run; the result of a timed training is stored in its folder."""
        from fewshot.experiments import training_time

        key = training_time.pace_key(request)
        pace = self._paces.get(key) or training_time.read_pace(experiment, folder)
        if pace is None:
            self._screen.print(f"timing a training of {folder.name}", soft_wrap=True)
            with progress_bar(self._screen, "timing") as report:
                pace = training_time.measure_pace(experiment, folder, self._rates, workers, report)
        if pace:  # 0 for a run of zero-shot only; then the next run with this key is timed
            self._paces[key] = pace
        self._runs.append(training_time.estimate_remaining(experiment, folder, pace, workers, self._rates))

    def show(self, device: torch.device) -> None:
        """Print a row for each run, and the totals."""
        table = Table(box=None, header_style="dim")
        table.add_column("", overflow="fold")  # the end of a name tells runs apart
        for title in ("trainings", "to do", "at once", "time", "annotation, $"):
            table.add_column(title, no_wrap=True)
        for run in self._runs:
            row = f"{run.trainings:,}", f"{run.left:,}", str(run.at_once or 1), format_duration(run.seconds)
            table.add_row(run.name, *row, f"{run.dollars:,.2f}")
        self._screen.print(table)
        seconds, paid, left, trainings = (
            sum(getattr(run, name) for run in self._runs) for name in ("seconds", "paid_seconds", "left", "trainings")
        )
        self._screen.print(
            f"{left:,} of {trainings:,} trainings to do: {format_duration(seconds)} on {device.type}, "
            f"${self._rates.compute[device.type].dollars(paid):.2f} of computing. "
            "The price of annotation is for one draw of the largest k.",
            soft_wrap=True,
        )
