"""``fewshot backup``."""

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
