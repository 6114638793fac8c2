"""``fewshot projects lexicon``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotate.cli.base import Database, ProjectName, open_project
from annotate.cli.projects import projects_app
from fewshot.cli.common.base import command, console
from fewshot.errors import UnknownNameError


@command(projects_app, example="fewshot projects lexicon wolof wo.tsv")
def lexicon(
    project: ProjectName,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Tables (form lemma upos feats gloss), UniMorph, or LIFT.", show_default=False),
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Name of a lexicon to remove; repeatable.", show_default=False)
    ] = None,
    db: Database = None,
) -> None:
    """Store lexicons, whose readings are suggested, and list those of a project."""
    from fewshot.corpora.lexicon import read

    screen = console()
    store, target = open_project(project, db)
    for name in remove or ():
        if name not in store.lexicons(target.id):
            raise UnknownNameError(f"lexicon of {target.name}", name, list(store.lexicons(target.id)))
        store.set_lexicon(target.id, name, ())
    for file in files or ():
        store.set_lexicon(target.id, file.name, list(read(file)))
    for name, count in store.lexicons(target.id).items():
        screen.print(f"{name}: {count:,} readings", soft_wrap=True)
