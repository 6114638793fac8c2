"""``fewshot sweep``: many runs of ``fewshot run`` as one, with a table and a report of each task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fewshot.cli.base import GOES_ON, Device, Jobs, RatesFile, app, command, console, downloading, progress_bar, typed
from fewshot.errors import FewshotError

if TYPE_CHECKING:
    import torch

    from fewshot.costs.prices import Rates
    from fewshot.experiments.sweep import Part


@command(app, stopped=GOES_ON)
def sweep(
    file: Annotated[
        str, typer.Argument(help="TOML file that names the runs, or one of ours: lauscher2020.", show_default=False)
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what is to be done, how long it takes and what it costs.")
    ] = False,
    rates: RatesFile = None,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Annotated[Path | None, typer.Option(help="Folder of all.", show_default="runs/NAME OF THE FILE")] = None,
) -> None:
    """Do many runs as one: each combination of the languages, tasks, encoders and methods that a file names.

    The file holds options of fewshot run; lists of them are combined, but for k and sampler, which belong to one run.
    A dry run times one training of each task, encoder and method, unless there is one already, and keeps its result.
    """
    from fewshot.costs import prices
    from fewshot.experiments.sweep import find, read
    from fewshot.training.adapt import find_device

    path = find(file)
    parts, paid, processor = read(path), prices.load(rates), find_device(device)
    for part in parts:
        part.request.plan(processor)  # what is wrong with any of them is said before the first begins
    folder, screen = out or Path("runs") / path.stem, console()
    if dry_run:
        failed = _forecast(parts, folder, processor, paid, jobs, screen)
    else:
        failed = [
            line
            for number, part in enumerate(parts, start=1)
            if (line := _carry_out(part, f"{number} of {len(parts)}", folder, processor, paid, jobs, screen))
        ]
        _compare(parts, folder, rates, screen)
    if failed:
        raise FewshotError(f"{len(failed)} of {len(parts)} runs could not be done: {failed[0]}")


def _carry_out(
    part: Part, number: str, folder: Path, device: torch.device, rates: Rates, jobs: int | None, screen: Console
) -> str:
    """Do one run; return what is wrong with it, which does not keep others from being done."""
    from fewshot.experiments.machine import fitting
    from fewshot.experiments.run import execute
    from samplers import SamplerError

    screen.print(Text.assemble((number, "bold"), f"  {part.name}"), soft_wrap=True)
    request = part.request
    try:
        with downloading(screen) as progress:
            corpus = request.corpus(progress)
        experiment = request.experiment(request.plan(device), corpus, device)
        with progress_bar(screen, "loading") as report:
            at_once = jobs or fitting(experiment)
            execute(experiment, folder / part.name, rates, report, command=typed(), keep=False, jobs=at_once)
    except (FewshotError, SamplerError) as error:
        return _failed(part.name, error, screen)
    return ""


def _failed(name: str, error: Exception, screen: Console) -> str:
    """Print why a run cannot be done; return that with its name."""
    screen.print(Text.assemble(("error:", "bold red"), f" {error}"), soft_wrap=True)
    return f"{name}: {error}"


def _compare(parts: Sequence[Part], folder: Path, rates: Path | None, screen: Console) -> None:
    """Write a report and a table of the runs of each task that have results."""
    from fewshot.cli.compare import compare
    from fewshot.curves.results import RESULTS, read_results

    for task in dict.fromkeys(part.request.task for part in parts):
        places = [folder / part.name for part in parts if part.request.task == task]
        done = [place for place in places if read_results(place / RESULTS)]
        if done:
            screen.print()
            compare(done, out=folder / task, rates=rates, table=[folder / task / "points.csv"])


def _forecast(
    parts: Sequence[Part], folder: Path, device: torch.device, rates: Rates, jobs: int | None, screen: Console
) -> list[str]:
    """Print what is to be done; return what is wrong with runs that cannot be."""
    from fewshot.experiments.forecast import forecast

    failed: list[str] = []

    def tell(name: str) -> None:
        screen.print(f"timing a training of {name}", soft_wrap=True)

    def fail(name: str, error: Exception) -> None:
        failed.append(_failed(name, error, screen))

    with progress_bar(screen, "timing") as report:
        found = forecast(parts, folder, device, rates, jobs, tell, fail, report)
    table = Table("", "trainings", "to do", "at once", "time", "annotation, $", box=None, header_style="dim")
    for one in found:
        row = f"{one.trainings:,}", f"{one.left:,}", str(one.jobs or 1), _time(one.seconds), f"{one.dollars:,.2f}"
        table.add_row(one.name, *row)
    screen.print(table)
    seconds, left, trainings = (sum(getattr(one, name) for one in found) for name in ("seconds", "left", "trainings"))
    screen.print(
        f"{left:,} of {trainings:,} trainings to do: {_time(seconds)} on {device.type}, "
        f"${rates.compute[device.type].dollars(seconds):.2f} of computing. "
        "Annotation is what one draw of the largest k would cost.",
        soft_wrap=True,
    )
    return failed


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
