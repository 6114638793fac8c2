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
    Lang,
    ModelName,
    ScaleName,
    Seeds,
    TaskName,
    analyze_app,
    app,
    command,
    console,
    typed,
)

ScoresFile = Annotated[
    Path | None,
    typer.Option(help="results.jsonl, or a CSV with columns task, lang, score.", show_default="published scores"),
]
SourceLanguage = Annotated[str, typer.Option(help="Language of the source models.")]


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


@command(analyze_app)
def transfer(
    scores: ScoresFile = None,
    source: SourceLanguage = "en",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/transfer"),
) -> None:
    """Find what zero-shot scores go with: similar languages, pretraining size (Lauscher et al. 2020)."""
    from fewshot.commands import transfer as job

    job.analyze(scores, source, out, typed(), console())


@command(analyze_app, stopped=GOES_ON)
def resources(
    data: DataFolders,
    task: Annotated[str, typer.Option(help="ner, pos, or both.")] = "ner",
    langs: Annotated[str, typer.Option(help="Languages.", show_default="all that there is data of")] = "",
    k: Annotated[str, typer.Option(help="Training sentences of each language.")] = "50,500",
    model: ModelName = "mini",
    seeds: Annotated[int, typer.Option(help="Draws of the sentences, each with its own training.")] = 3,
    updates: Annotated[int, typer.Option(help="Optimizer steps of every training.")] = 500,
    tested: Annotated[int, typer.Option("--test", help="Test sentences at most.")] = 1000,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/resources"),
) -> None:
    """See whether low-resource languages gain from an encoder (Wu & Dredze 2020)."""
    from fewshot.commands import resources as job

    request = job.Request(data, task, langs, k, model, seeds, updates, tested, device, out, typed())
    job.run(request, console())


@command(app, "transfer")
def predict_transfer(
    lang: Lang,
    task: TaskName = "pos",
    model: Annotated[str, typer.Option(help="mbert, xlm-r, mini, or an encoder of --scores.")] = "mbert",
    scores: ScoresFile = None,
    source: SourceLanguage = "en",
) -> None:
    """Predict what a language will score that nobody has annotated, and what k sentences will bring."""
    from fewshot.commands import transfer as job

    job.predict(lang, task, model, scores, source, console())
