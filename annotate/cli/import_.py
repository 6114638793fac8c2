"""``fewshot import``: annotations into the app."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotate.cli.base import Database, ProjectName, check_task, find_project, print_bad_rows
from fewshot.cli.common.base import app, command, console
from fewshot.errors import listed


@command(app, "import")
def import_annotations(
    project: ProjectName,
    file: Annotated[Path, typer.Argument(help="Annotated file, in any format of export.", show_default=False)],
    task: Annotated[str, typer.Option(help="Task whose annotation the file holds.", show_default=False)],
    annotator: Annotated[str, typer.Option(help="Whose annotations they are.", show_default=False)],
    db: Database = None,
) -> None:
    """Save the annotations of a file as somebody's, for the examples that a project has."""
    from annotate.exchange.importing import import_annotations
    from annotate.store import Store

    store, screen = Store.open(db), console()
    target = find_project(store, project)
    check_task(target, task)
    taken = import_annotations(store, target, task, file, annotator)
    empty = f", {taken.empty} without annotation" if taken.empty else ""
    left = f" ({taken.unfinished} of them left open)" if taken.unfinished else ""
    counts = f"{taken.saved} saved{left}, {taken.unknown} not in {target.name}, {taken.wrong} not valid{empty}"
    screen.print(counts, soft_wrap=True)
    if taken.added:
        screen.print(f"  new labels of {target.name}: {listed(taken.added)}", soft_wrap=True)
    print_bad_rows(taken.problems)
