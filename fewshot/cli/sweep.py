"""``fewshot sweep``: the runs of a file, with a table and a report for each task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from fewshot.cli.common.base import RESUME_HINT, RatesFile, app, command, command_line, console
from fewshot.cli.common.progress import progress_bar
from fewshot.cli.run import load_run
from fewshot.errors import FewshotError
from fewshot.options import MachineOptions

if TYPE_CHECKING:
    from fewshot.costs.prices import Rates
    from fewshot.experiments.executors.place import Place
    from fewshot.experiments.sweep import SweepRun


@command(app, example="fewshot sweep languages.toml --dry-run", stopped=RESUME_HINT)
def sweep(
    file: Annotated[
        str, typer.Argument(help="TOML file of the runs, or an embedded one: lauscher2020.", show_default=False)
    ],
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the number of trainings, the estimated time and the cost, then stop."),
    ] = False,
    rates: RatesFile = None,
    out: Annotated[Path | None, typer.Option(help="Folder of all runs.", show_default="runs/NAME OF THE FILE")] = None,
    *,
    where: MachineOptions,
) -> None:
    """Run each combination of the languages, tasks, encoders and methods in a file.

    The file holds options of fewshot run; lists are combined, except k and sampler, whose lists belong to one run. A
    dry run times one training of each task, encoder and method, unless its result is stored, and keeps the result.
    """
    from fewshot.costs import prices
    from fewshot.experiments.executors.place import find_place
    from fewshot.experiments.plan import make_plan
    from fewshot.experiments.sweep import find, read

    path = find(file)
    parts, paid = read(path), prices.load(rates)
    folder, screen = out or Path("runs") / path.stem, console()
    with find_place(where) as place:
        for part in parts:  # report errors in any run before the first one begins
            try:
                make_plan(part.request, place.device)
            except FewshotError as error:
                raise FewshotError(f"{path}: {part.name}: {error}") from None
        failed = (_dry_run if dry_run else _carry_out)(parts, folder, place, paid, screen)
    if not dry_run:
        _compare(parts, folder, rates, screen)
    if failed:
        raise FewshotError(f"{len(failed)} of {len(parts)} runs failed: {', '.join(failed)}")


def _carry_out(parts: Sequence[SweepRun], folder: Path, place: Place, rates: Rates, screen: Console) -> list[str]:
    """Carry out the runs; return the names of those that failed."""
    from fewshot.experiments.run import execute

    failed: list[str] = []
    for number, part in enumerate(parts, start=1):
        screen.print(Text.assemble((f"{number} of {len(parts)}", "bold"), f"  {part.name}"), soft_wrap=True)
        with _collect_failure(part, failed, screen):
            _, experiment = load_run(part.request, place.device, screen)
            workers = place.workers(experiment)
            with progress_bar(screen, "loading") as report:
                execute(
                    experiment, folder / part.name, rates, report, command=command_line(), keep=False, workers=workers
                )
    return failed


@contextmanager
def _collect_failure(part: SweepRun, failed: list[str], screen: Console) -> Iterator[None]:
    """Print the error of a run and add the run's name to the failed ones."""
    from samplers import SamplerError

    try:
        yield
    except (FewshotError, SamplerError) as error:
        screen.print(Text.assemble(("error:", "bold red"), f" {part.name}: {error}"), soft_wrap=True)
        failed.append(part.name)


def _compare(parts: Sequence[SweepRun], folder: Path, rates: Path | None, screen: Console) -> None:
    from fewshot.cli.compare import compare
    from fewshot.curves.results import RESULTS, read_results

    for task in dict.fromkeys(part.request.task for part in parts):
        folders = [folder / part.name for part in parts if part.request.task == task]
        done = [path for path in folders if read_results(path / RESULTS)]
        if done:
            screen.print()
            compare(done, out=folder / task, rates=rates, table=[folder / task / "points.csv"])


def _dry_run(parts: Sequence[SweepRun], folder: Path, place: Place, rates: Rates, screen: Console) -> list[str]:
    """Print the remaining work; return the names of the runs that failed."""
    from fewshot.cli.common.dry_run import DryRun

    failed: list[str] = []
    estimate = DryRun(rates, screen)
    for part in parts:
        with _collect_failure(part, failed, screen):
            _, experiment = load_run(part.request, place.device, screen)
            estimate.add(part.request, experiment, folder / part.name, place.workers(experiment))
    estimate.show(place.device)
    return failed
