"""Progress on the screen: bars in a terminal, else lines of text, for log files and cluster jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import TaskID

    from fewshot.corpora.ud.cache import FileProgress
    from fewshot.progress import Progress, Report

LOSS_SECONDS = 1.0
"""Minimum seconds between two readings of a loss for a bar, as reading makes a GPU wait."""

FIRST_SECONDS, LINE_SECONDS = 10.0, 60.0
"""Seconds to the first line, and between lines."""


@contextmanager
def progress_bar(console: Console, doing: str, clock: Callable[[], float] = monotonic) -> Iterator[Report]:
    """Show the progress of some work and yield the function to report progress to.

    Args:
        console: a terminal shows a bar, which is removed at the end; others get occasional lines, see `ProgressLines`.
    """
    if console.is_interactive:
        with _bar(console, doing, clock) as report:
            yield report
    else:
        yield ProgressLines(doing, partial(console.print, soft_wrap=True), clock)


@contextmanager
def _bar(console: Console, doing: str, clock: Callable[[], float]) -> Iterator[Report]:
    from rich import progress

    times = (progress.TimeElapsedColumn(), progress.TimeRemainingColumn())
    texts = (progress.TextColumn("{task.description}"), progress.TextColumn("{task.fields[loss]}"))
    columns = (texts[0], progress.BarColumn(), progress.MofNCompleteColumn(), texts[1], *times)
    day = 24 * 3600.0  # estimate the remaining time from all steps, as one step may exceed rich's default period
    with progress.Progress(*columns, console=console, transient=True, speed_estimate_period=day) as bars:
        row = bars.add_task(doing, total=None, loss="")
        read = -LOSS_SECONDS

        def report(now: Progress) -> None:
            nonlocal read
            if now.loss is None:
                bars.update(row, loss="")
            elif clock() - read >= LOSS_SECONDS:
                read = clock()
                bars.update(row, loss=f"loss {float(now.loss):.3f}")
            bars.update(row, description=now.doing or doing, completed=now.done, total=now.total or None)

        yield report


@contextmanager
def download_progress(console: Console) -> Iterator[FileProgress]:
    """Yield a callback that shows one bar for each downloaded file."""
    from rich import progress

    columns = (progress.DownloadColumn(), progress.TransferSpeedColumn(), progress.TimeRemainingColumn())
    shown = (progress.TextColumn("{task.description}"), progress.BarColumn(), *columns)
    bars = progress.Progress(*shown, console=console, transient=True)
    rows: dict[str, TaskID] = {}

    def move(file: str, done: int, total: int | None) -> None:
        bars.start()
        if file not in rows:
            rows[file] = bars.add_task(file, total=total)
        bars.update(rows[file], completed=done, total=total)

    try:
        yield move
    finally:
        if rows:
            bars.stop()


class ProgressLines:
    """Prints the progress and the estimated remaining time from time to time."""

    def __init__(self, doing: str, say: Callable[[str], None], clock: Callable[[], float]) -> None:
        self.doing, self.say, self.clock = doing, say, clock
        self.due = clock() + FIRST_SECONDS
        self.first: Progress | None = None
        self.started, self.last = 0.0, 0.0

    def __call__(self, now: Progress) -> None:
        """Record the progress and print a line if one is due; only then read the loss, which makes a GPU wait."""
        time = self.clock()
        if self.first is None or now.total != self.first.total or now.done < self.last:  # new work has begun
            self.first, self.started = now, time
        self.last = now.done
        if time >= self.due:
            self.due = time + LINE_SECONDS
            self.say(self._line(now, self.first, time - self.started))

    def _line(self, now: Progress, first: Progress, seconds: float) -> str:
        parts = [now.doing or self.doing]
        if now.done or now.total:
            parts.append(f"{now.done:.0f}/{now.total:.0f}" if now.total else f"{now.done:.0f}")
        if now.loss is not None:
            parts.append(f"loss {float(now.loss):.3f}")
        own = (now.done - now.kept) - (first.done - first.kept)
        if now.total and own > 0:
            parts.append(f"{timedelta(seconds=round(seconds * (now.total - now.done) / own))} left")
        return "  ".join(parts)
