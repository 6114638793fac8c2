"""Commands of ``fewshot data``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.base import (
    command,
    console,
    data_app,
)


@command(data_app, "list")
def data_list(
    lang: Annotated[str | None, typer.Argument(help="Only this language.", show_default=False)] = None,
) -> None:
    """List the treebanks that can be named, and which are in the cache."""
    from fewshot.commands import data as job

    job.show(lang, console())


@command(data_app, "get", stopped="what has arrived is kept, and the same command gets the rest")
def data_get(
    treebank: Annotated[str, typer.Argument(help="ja, ja_gsd, UD_Japanese-GSD ...", show_default=False)],
    release: Annotated[str | None, typer.Option(help="UD release.", show_default="the newest known")] = None,
    home: Annotated[str | None, typer.Option(help="Where treebanks are published.", show_default="GitHub")] = None,
    cache: Annotated[Path | None, typer.Option(help="Cache folder.", show_default="the user's cache")] = None,
) -> None:
    """Download a treebank of Universal Dependencies into the cache."""
    from fewshot.commands import data as job

    job.get(treebank, release, home, cache, console())


@command(data_app, "check")
def data_check(
    path: Annotated[Path | None, typer.Argument(help="A file or folder of yours.", show_default="the cache")] = None,
    task: Annotated[str | None, typer.Option(help="Check the labels of this task too.")] = None,
) -> None:
    """Check treebanks: the cache against what was downloaded, or your own file line by line."""
    from fewshot.commands import data as job

    job.check(path, task, console())
