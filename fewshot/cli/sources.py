"""``fewshot sources``: rank source languages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from fewshot.cli.common.base import Device, Lang, ModelName, TaskName, app, command, console
from fewshot.cli.common.progress import download_progress, progress_bar
from fewshot.cli.common.reporting import print_table

if TYPE_CHECKING:
    import torch

    from fewshot.encoders.load import Encoder
    from fewshot.experiments.data_folders import AnnotatedExamples
    from fewshot.source_choice.ranking import Ranking
    from fewshot.tasks import Task


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
    from fewshot.corpora.load import describe
    from fewshot.encoders.load import load_encoder
    from fewshot.errors import FewshotError
    from fewshot.source_choice import candidates
    from fewshot.source_choice.ranking import rank
    from fewshot.training.adapt import resolve_device
    from fewshot.transfer.languages import NO_LANGUAGE

    if data is None and lang in NO_LANGUAGE:
        raise FewshotError(f"{lang} is not the code of one language; give text of the target language with --data")
    screen, asked, on, warned = console(), tasks.get(task), resolve_device(device), []
    kind = asked.example.kind

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
        texts = _similarities_of_texts(screen, asked, lang, data, local, encoder, on)
    if local:
        ranking = rank(asked, lang, encoder, list(local), texts, warn)
        places = {code: describe(source.folder) for code, source in local.items()}
        title = f"Sources of {asked.title} for {lang} with data on this machine"
        _print_ranking(screen, title, ranking, places, most)
        screen.print()
    if remote:
        ranking = rank(asked, lang, encoder, list(remote), {}, warn)
        title = f"Sources for {lang} that fewshot data get NAME downloads, some with test files only"
        _print_ranking(screen, title, ranking, remote, most)


def _similarities_of_texts(
    screen: Console,
    task: Task[Any],
    lang: str,
    data: str,
    sources: Mapping[str, AnnotatedExamples],
    encoder: Encoder,
    device: torch.device,
) -> dict[str, dict[str, float]]:
    """Return how similar the text of each source is to that of the target language, see `of_texts`."""
    from fewshot.corpora.load import locate
    from fewshot.source_choice import candidates
    from fewshot.source_choice.ranking import of_texts, read_texts

    with download_progress(screen) as progress:
        path = locate(lang, data, task.example.kind, progress, task.data_hint)
    target = candidates.raw(task, lang, path)
    with progress_bar(screen, "reading") as report:
        examples = {code: source.examples for code, source in sources.items()}
        read = read_texts(encoder, task, {**examples, lang: target}, device, report)
    return of_texts(read.pop(lang), read)


def _print_ranking(screen: Console, title: str, ranking: Ranking, places: Mapping[str, str], most: int) -> None:
    from fewshot.source_choice.ranking import table, why

    print_table(screen, table(title, ranking, places, most))
    screen.print(why(ranking), soft_wrap=True)
