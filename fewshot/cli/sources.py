"""``fewshot sources``: which language to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.common.base import Device, Lang, ModelName, TaskName, app, command, console, downloading, progress_bar
from fewshot.cli.common.reporting import WIDTH


@command(app)
def sources(
    lang: Lang,
    task: TaskName = "pos",
    data: Annotated[
        str | None,
        typer.Option(
            help="Text of the target: sample, ud, a folder, or a file; sentences may be raw.", show_default="none"
        ),
    ] = None,
    among: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of folders such as it_isdt, the sources; repeatable.", show_default="treebanks that are here"
        ),
    ] = None,
    model: ModelName = "mini",
    most: Annotated[int, typer.Option(min=1, help="Rows of each table.")] = 15,
    device: Device = "auto",
) -> None:
    """Rank the languages to learn from: whose data to train the source model of a target language on."""
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
        raise FewshotError(f"{lang} is the code of no language, of which nothing is known; give its text with --data")
    screen, asked, on, warned = console(), tasks.get(task), resolve_device(device), []
    kind = asked.example.kind
    screen.width = max(screen.width, WIDTH)

    def warn(line: str) -> None:
        if line not in warned:
            warned.append(line)
            screen.print(f"warning: {line}", soft_wrap=True)

    here = candidates.given(asked, lang, among, warn) if among else candidates.installed(asked, lang, warn)
    elsewhere = {} if among else candidates.listed(asked, lang, list(here))
    if not here and not elsewhere:
        raise FewshotError(f"no other language than {lang} has {kind} for {task} here; give --among folders that have")
    encoder, texts = load_encoder(model), {}
    if data is None:
        few = f"{candidates.TARGET_SENTENCES} {kind}, annotated or not, are enough"
        warn(f"no text of {lang} is read; give --data, of which {few}")
    elif here:
        with downloading(screen) as progress:
            path = locate(lang, data, kind, progress, tasks.data_hint(asked))
        target = candidates.raw(asked, lang, path)
        with progress_bar(screen, "reading") as report:
            examples = {one: found.examples for one, found in here.items()}
            read = read_texts(encoder, asked, {**examples, lang: target}, on, report)
        texts = of_texts(read.pop(lang), read)
    if here:
        ranking = rank(asked, lang, encoder, list(here), texts, warn)
        places = {one: describe(found.folder) for one, found in here.items()}
        screen.print(
            render_table(table(f"Sources of {asked.title} for {lang}, whose data are here", ranking, places, most))
        )
        screen.print(f"{why(ranking)}\n", soft_wrap=True)
    if elsewhere:
        ranking = rank(asked, lang, encoder, list(elsewhere), {}, warn)
        title = f"Sources for {lang} that fewshot data get NAME downloads, some of them with test files alone"
        screen.print(render_table(table(title, ranking, elsewhere, most)))
        screen.print(why(ranking), soft_wrap=True)
