"""``fewshot data get``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.common.base import command, console, data_app
from fewshot.cli.common.progress import download_progress


@command(
    data_app,
    "get",
    example="fewshot data get ja_gsd",
    stopped="downloaded data is kept; repeat the command to download the rest",
)
def get_treebank(
    treebank: Annotated[str, typer.Argument(help="ja, ja_gsd, UD_Japanese-GSD ...", show_default=False)],
    release: Annotated[str | None, typer.Option(help="UD release.", show_default="the newest known")] = None,
    home: Annotated[str | None, typer.Option(help="Base URL of the treebanks.", show_default="GitHub")] = None,
    cache: Annotated[Path | None, typer.Option(help="Cache folder.", show_default="the user's cache")] = None,
) -> None:
    """Download a treebank of Universal Dependencies into the cache."""
    from fewshot.corpora.ud.cache import HOME, RELEASE, get
    from fewshot.corpora.ud.treebanks import find

    screen = console()
    with download_progress(screen) as progress:
        files = get(find(treebank), release=release or RELEASE, root=cache, base_url=home or HOME, progress=progress)
    for split, path in files.items():
        screen.print(f"{split:5}  {path}", soft_wrap=True)
