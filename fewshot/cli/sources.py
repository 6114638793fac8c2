"""``fewshot sources``: rank source languages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.common.base import (
    Device,
    Lang,
    ModelName,
    TaskName,
    app,
    command,
    console,
    download_progress,
    progress_bar,
)
from fewshot.cli.common.reporting import MIN_WIDTH


@command(app, example="fewshot sources --lang wo --data my_text.txt")
def sources(
    lang: Lang,
    task: TaskName = "pos",
    data: Annotated[
        str | None,
        typer.Option(
            help="Text of the target language, raw or annotated: sample, ud, a folder, or a file.",
            show_default="none",
        ),
    ] = None,
    among: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of source data in folders such as it_isdt; repeatable.", show_default="downloaded treebanks"
        ),
    ] = None,
    model: ModelName = "mini",
    most: Annotated[int, typer.Option(min=1, help="Maximum number of rows of each table.")] = 15,
    device: Device = "auto",
) -> None:
    """Rank source languages: whose data to train the source model for a target language on."""
    from fewshot import tasks
    from fewshot.corpora.load import describe, locate
    from fewshot.encoders.load import load_encoder
    from fewshot.errors import FewshotError
    from fewshot.reports.page import render_table
    from fewshot.source_choice import candidates
    from fewshot.source_choice.ranking import of_texts, rank, read_texts, table, why
    from fewshot.training.adapt import resolve_device
    from fewshot.transfer.languages import NO_LANGUAGE

    if data is None and lang in NO_LANGUAGE:
        raise FewshotError(f"{lang} is not the code of one language; give text of the target language with --data")
    screen, asked, on, warned = console(), tasks.get(task), resolve_device(device), []
    kind = asked.example.kind
    screen.width = max(screen.width, MIN_WIDTH)

    def warn(line: str) -> None:
        if line not in warned:
            warned.append(line)
            screen.print(f"warning: {line}", soft_wrap=True)

    local = candidates.given(asked, lang, among, warn) if among else candidates.installed(asked, lang, warn)
    remote = {} if among else candidates.listed(asked, lang, list(local))
    if not local and not remote:
        raise FewshotError(f"found no {kind} for {task} in languages other than {lang}; give --among with such folders")
    encoder, texts = load_encoder(model), {}
    if data is None:
        enough = f"{candidates.TARGET_SENTENCES} {kind}, annotated or not, are enough"
        warn(f"the ranking reads no text of {lang}; give --data, {enough}")
    elif local:
        with download_progress(screen) as progress:
            path = locate(lang, data, kind, progress, tasks.data_hint(asked))
        target = candidates.raw(asked, lang, path)
        with progress_bar(screen, "reading") as report:
            examples = {code: source.examples for code, source in local.items()}
            read = read_texts(encoder, asked, {**examples, lang: target}, on, report)
        texts = of_texts(read.pop(lang), read)
    if local:
        ranking = rank(asked, lang, encoder, list(local), texts, warn)
        places = {code: describe(source.folder) for code, source in local.items()}
        title = f"Sources of {asked.title} for {lang} with data on this machine"
        screen.print(render_table(table(title, ranking, places, most)))
        screen.print(f"{why(ranking)}\n", soft_wrap=True)
    if remote:
        ranking = rank(asked, lang, encoder, list(remote), {}, warn)
        title = f"Sources for {lang} that fewshot data get NAME downloads, some with test files only"
        screen.print(render_table(table(title, ranking, remote, most)))
        screen.print(why(ranking), soft_wrap=True)
