"""``fewshot projects``."""

from __future__ import annotations

from rich.table import Table

from annotate.cli.base import Database
from fewshot.cli.base import app, command, console


@command(app)
def projects(db: Database = None) -> None:
    """List the projects of the app, and how far they are."""
    from annotate.store import REVIEW, Store

    store = Store.open(db)
    table = Table("", "project", "language", "tasks", "pool", "done", box=None, header_style="dim")
    for project in store.projects():
        rows = [row for row in store.progress(project.id) if row.purpose != REVIEW]
        done = f"{sum(row.done for row in rows)} of {sum(row.total for row in rows)}"
        pool = f"{project.pool_size:,}"
        table.add_row(str(project.id), project.name, project.lang, ", ".join(project.tasks), pool, done)
    console().print(table if table.row_count else "no project yet: fewshot app makes one")
