"""``fewshot data list``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from fewshot.cli.common.base import command, console, data_app


@command(data_app, "list", example="fewshot data list ja")
def list_treebanks(
    lang: Annotated[str | None, typer.Argument(help="Only this language.", show_default=False)] = None,
) -> None:
    """List the known treebanks and those in the cache."""
    from fewshot.corpora.embedded import sample_languages
    from fewshot.corpora.ud import cache, treebanks

    cached = {entry.name: entry for entry in cache.listing()}
    rows = treebanks.treebanks(lang)
    table = Table(box=None, pad_edge=False)
    typed = ("lang", "code", "treebank")  # into commands: never cut, however narrow the terminal is
    for title in ("lang", "language", "code", "treebank", "in the cache"):
        table.add_column(title, no_wrap=title in typed)
    for treebank in rows:
        entry = cached.get(treebank.name)
        splits = ", ".join(entry.splits) + f" ({entry.release})" if entry else ""
        table.add_row(treebank.lang, treebank.language, treebank.code, treebank.name, splits)
    screen = console()
    screen.print(table)
    screen.print(
        f"\n{len(rows)} treebanks. Embedded sample: {', '.join(sample_languages())}. "
        f"Any other UD treebank works by its full name. Cache: {cache.default_root()}",
        soft_wrap=True,
    )
