"""``fewshot backup | restore``."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from annotate.store import Store
from annotate.store import backup as files


def backup(file: Path, url: str | None, console: Console) -> None:
    """Write a database to a file."""
    store = Store.open(url, create=False)
    rows = files.backup(store, file)
    console.print(f"{rows} rows of {store.place} are in {file}", soft_wrap=True)


def restore(file: Path, url: str | None, console: Console) -> None:
    """Fill an empty database from a file."""
    store = Store.open(url)
    rows = files.restore(file, store)
    console.print(f"{rows} rows of {file} are in {store.place}", soft_wrap=True)
