"""``fewshot analyze``: the analyses of the papers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.base import (
    GOES_ON,
    CorpusFolder,
    DataFolders,
    Device,
    ModelName,
    ScaleName,
    Seeds,
    analyze_app,
    command,
    console,
    typed,
)

AnyData = Annotated[
    list[Path] | None,
    typer.Option(
        "--data", help="Folder of folders such as en_ewt, ja_gsd; repeatable.", show_default="the embedded sample"
    ),
]
Source = Annotated[str, typer.Option(help="Languages to train on, each by itself.")]
Targets = Annotated[str, typer.Option(help="Languages to score, where there is data.")]
Sentences = Annotated[int, typer.Option(help="Most sentences, or other examples, to train on.")]
TestSentences = Annotated[int, typer.Option(help="Most of them of each test set.")]
Updates = Annotated[int, typer.Option(help="Updates of one fine-tuning.")]
FineTunings = Annotated[int, typer.Option(help="Fine-tunings of each kind.")]
TARGETS = "ar,fi,hi,ja,sv,tr"


@command(analyze_app, stopped=GOES_ON)
def bilingual(
    corpus: CorpusFolder,
    data: DataFolders,
    langs: Annotated[str, typer.Option(help="Target languages.")] = "es,ru,hi",
    table: Annotated[str, typer.Option(help="Tables of the paper: 1,3.", show_default="all, 1 to 10")] = "",
    task: Annotated[str, typer.Option(help="Tasks to probe with, where there is data.")] = "pos,ner,nli",
    scale: ScaleName = "small",
    seeds: Seeds = 3,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/bilingual"),
) -> None:
    """Find what makes encoders of two languages cross-lingual (Karthikeyan et al. 2020)."""
    from fewshot.commands import pretrained_analyses as job

    job.bilingual(job.Request(corpus, data, langs, task, scale, seeds, device, out, typed()), table, console())


@command(analyze_app, stopped=GOES_ON)
def monolingual(
    corpus: CorpusFolder,
    data: DataFolders,
    langs: Annotated[str, typer.Option(help="Languages to probe.")] = "fi,tr",
    partner: Annotated[str, typer.Option(help="Second language of bilingual encoders.")] = "en",
    task: Annotated[str, typer.Option(help="Tasks to probe with, where there is data.")] = "pos,dep,ner",
    scale: ScaleName = "small",
    seeds: Seeds = 3,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/monolingual"),
) -> None:
    """Compare encoders of one language, two, and all of them (Wu & Dredze 2020)."""
    from fewshot.commands import pretrained_analyses as job

    job.monolingual(job.Request(corpus, data, langs, task, scale, seeds, device, out, typed()), partner, console())


@command(analyze_app, stopped=GOES_ON)
def layers(
    data: AnyData = None,
    task: Annotated[str, typer.Option(help="Tasks, where there is data.")] = "pos,dep,ner,nli",
    source: Source = "en",
    langs: Targets = TARGETS,
    frozen: Annotated[
        str,
        typer.Option(help="Bottom layers to freeze beside the embeddings: 0,3.", show_default="0,3,6,9 scaled from 12"),
    ] = "",
    model: ModelName = "mini",
    sentences: Sentences = 3000,
    test_sentences: TestSentences = 500,
    updates: Updates = 150,
    seeds: FineTunings = 3,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/layers"),
) -> None:
    """Find which bottom layers to freeze, or all (Wu & Dredze 2019, section 5.2)."""
    from fewshot.commands import fine_tuned_analyses as job

    sizes = (sentences, test_sentences, updates, seeds)
    request = job.Request(data or [], task, source, langs, model, *sizes, device, out, typed())
    job.layers(request, frozen, console())


@command(analyze_app, name="random-init", stopped=GOES_ON)
def random_init(
    data: AnyData = None,
    task: Annotated[str, typer.Option(help="Tasks, where there is data.")] = "pos,dep,ner",
    source: Source = "en",
    langs: Targets = TARGETS,
    layers: Annotated[
        str, typer.Option(help="groups (sixths of the encoder, and all of it), single, or a list: 1,2,1-4.")
    ] = "groups",
    model: ModelName = "mini",
    sentences: Sentences = 3000,
    test_sentences: TestSentences = 500,
    updates: Updates = 150,
    seeds: FineTunings = 5,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/random-init"),
) -> None:
    """Find which pretrained layers transfer needs, by re-initialising them (Muller et al. 2021)."""
    from fewshot.commands import fine_tuned_analyses as job

    sizes = (sentences, test_sentences, updates, seeds)
    request = job.Request(data or [], task, source, langs, model, *sizes, device, out, typed())
    job.random_init(request, layers, console())
