"""The bar of a download."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import TaskID

    from fewshot.corpora.ud.cache import FileProgress


@contextmanager
def downloading(console: Console) -> Iterator[FileProgress]:
    """Yield a callback that keeps one bar a file; nothing is shown where nothing is downloaded."""
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
