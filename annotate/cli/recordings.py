"""``fewshot projects recordings``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annotate.cli.base import Database, ProjectName, open_project
from annotate.cli.projects import projects_app
from fewshot.cli.common.base import command, console


@command(projects_app, example="fewshot projects recordings wolof story1.wav story2.wav")
def recordings(
    project: ProjectName,
    files: Annotated[
        list[Path] | None, typer.Argument(help="Sounds: wav, mp3, ogg, m4a, flac.", show_default=False)
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Name of a recording to remove; repeatable.", show_default=False)
    ] = None,
    db: Database = None,
) -> None:
    """Store the recordings of a project's sentences, and list the missing ones.

    Run this on the machine of the app, as its user: recordings are stored beside the SQLite database, or with
    PostgreSQL in that user's folder.
    """
    from annotate.exchange import recordings
    from fewshot.corpora.files import readable

    screen = console()
    store, target = open_project(project, db)
    for name in remove or ():
        recordings.remove(store, target, name)
    for file in files or ():
        with readable(file), file.open("rb") as sound:
            recordings.add(store, target, file.name, sound)
    kept = recordings.kept(store, target)
    coverage = recordings.coverage(store.count_recordings(target.id), kept)
    screen.print(f"{len(kept):,} recordings in {recordings.folder(store, target)}", soft_wrap=True)
    screen.print(f"{coverage.heard:,} of {coverage.named:,} sentences that name a recording can be heard")
    for name, count in coverage.missing.items():
        screen.print(f"  missing: {name} ({count:,} sentence{'' if count == 1 else 's'})", soft_wrap=True)
