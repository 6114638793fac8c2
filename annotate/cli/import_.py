"""``fewshot import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotate.cli.base import Database, ProjectName, check_task, open_project, print_bad_rows, warn_of_strangers
from fewshot.cli.common.base import app, command, console
from fewshot.errors import listed


@command(app, "import", example="fewshot import wolof ana.conllu --task pos --annotator ana")
def import_annotations(
    project: ProjectName,
    file: Annotated[Path, typer.Argument(help="Annotated file, in any export format.", show_default=False)],
    task: Annotated[str, typer.Option(help="Task of the annotations in the file.", show_default=False)],
    annotator: Annotated[str, typer.Option(help="Person whose annotations they are.", show_default=False)],
    db: Database = None,
) -> None:
    """Import a file of annotations of a project's examples as one person's work."""
    from annotate.exchange.importing import import_annotations

    screen = console()
    store, target = open_project(project, db)
    check_task(target, task)
    warn_of_strangers(store, [annotator])
    taken = import_annotations(store, target, task, file, annotator)
    empty = f", {taken.empty} without annotation" if taken.empty else ""
    left = f" ({taken.unfinished} of them left open)" if taken.unfinished else ""
    counts = f"{taken.saved} saved{left}, {taken.unknown} not in {target.name}, {taken.wrong} not valid{empty}"
    screen.print(counts, soft_wrap=True)
    if taken.added:
        screen.print(f"  new labels of {target.name}: {listed(taken.added)}", soft_wrap=True)
    print_bad_rows(taken.problems)
