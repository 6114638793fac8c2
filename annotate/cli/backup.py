"""``fewshot backup`` and ``fewshot restore``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotate.cli.base import Database
from fewshot.cli.common.base import app, command, console


@command(app, example="fewshot backup monday.backup")
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.", show_default=False)],
    db: Database = None,
) -> None:
    """Write the whole database to one file."""
    from annotate.store import Store
    from annotate.store.backup import backup

    store = Store.open(db, create=False)
    rows = backup(store, file)
    console().print(f"{rows} rows of {store.place} are in {file}", soft_wrap=True)


@command(app, example="fewshot restore monday.backup --db sqlite:///restored.db")
def restore(
    file: Annotated[Path, typer.Argument(help="A file written by fewshot backup.", show_default=False)],
    db: Database = None,
) -> None:
    """Fill an empty database from a backup, SQLite or PostgreSQL."""
    from annotate.store import Store
    from annotate.store.backup import restore

    store = Store.open(db)
    rows = restore(file, store)
    console().print(f"{rows} rows of {file} are in {store.place}", soft_wrap=True)
