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
    RatesFile,
    ScaleName,
    Seeds,
    TaskName,
    analyze_app,
    app,
    command,
    console,
    typed,
)

Tasks = Annotated[str, typer.Option(help="Tasks that there are source models and data for.")]
Langs = Annotated[str, typer.Option(help="Target languages.")]
LANGS = "ar,de,el,es,eu,fi,fr,he,hi,it,ja,kk,ko,ru,sv,sw,th,tr,yo,zh"
ScoresFile = Annotated[
    Path | None,
    typer.Option(help="results.jsonl, or a CSV with columns task, lang, score.", show_default="published scores"),
]
SourceLanguage = Annotated[str, typer.Option(help="Language of the source models.")]
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


@command(analyze_app, "few-shot-grid", stopped=GOES_ON)
def few_shot_grid(
    task: Annotated[str, typer.Option(help="Tasks.")] = "pos,dep,ner",
    langs: Annotated[str, typer.Option(help="Target languages, e.g. ja,sv.", show_default="those of the sample")] = "",
    sampler: Annotated[str, typer.Option(help="Samplers, or all.")] = "random,shortest,longest",
    k: Annotated[str, typer.Option(help="Examples to annotate; 10,50,100,500,1000 in the paper.")] = "10,40",
    articles: Annotated[str, typer.Option(help="The same where examples are articles (qa).")] = "2,4",
    shot_sets: Annotated[int, typer.Option(help="Draws of each sampler.")] = 3,
    seeds: Annotated[int, typer.Option(help="Trainings on each draw.")] = 1,
    rounds: Annotated[
        bool, typer.Option("--rounds", help="Active samplers draw in rounds, as in fewshot run.")
    ] = False,
    data: Annotated[
        list[Path] | None, typer.Option(help="Folder of folders such as it_isdt; repeatable.", show_default="sample")
    ] = None,
    model: ModelName = "mini",
    method: Annotated[
        str, typer.Option(help="full, lora, feature-based, freeze-N, freeze-none, or lauscher2020.")
    ] = "full",
    regime: Annotated[str | None, typer.Option(help="joint or sequential.", show_default="by task")] = None,
    updates: Annotated[int | None, typer.Option(help="Optimizer steps.", show_default="by k and task")] = None,
    rates: RatesFile = None,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of report and runs; with runs, those of fewshot run count.")] = Path(
        "runs/few-shot-grid"
    ),
) -> None:
    """Find which sentences to annotate, by task, language and number (Lauscher et al. 2020)."""
    from fewshot.commands import few_shot_grid as job

    job.few_shot_grid(
        job.Request(
            task=task,
            langs=langs,
            sampler=sampler,
            k=k,
            articles=articles,
            shot_sets=shot_sets,
            seeds=seeds,
            rounds=rounds,
            data=data or [],
            model=model,
            method=method,
            regime=regime,
            updates=updates,
            rates=rates,
            device=device,
            out=out,
            command=typed(),
        ),
        console(),
    )


@command(analyze_app, stopped=GOES_ON)
def language_id(
    corpus: Annotated[Path, typer.Option(help="Folder with mono/LANG.txt.xz and parallel/*.tsv.xz.")],
    langs: Annotated[str, typer.Option(help="Languages to tell apart.", show_default="all of the corpus")] = "",
    model: ModelName = "mini",
    sentences: Annotated[int, typer.Option(help="Of each language to train on; as many are tested.")] = 500,
    seeds: Annotated[int, typer.Option(help="Draws of sentences.")] = 3,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/language-id"),
) -> None:
    """Find how well each layer tells languages apart (Wu & Dredze 2019, section 5.3)."""
    from fewshot.commands import encoder_analyses as job

    request = job.Request(langs, model, device, out, typed())
    job.language_id(request, corpus, sentences, seeds, console())


@command(analyze_app, stopped=GOES_ON)
def overlap(
    data: DataFolders,
    task: Tasks = "pos,dep,ner,nli,topic",
    langs: Langs = LANGS,
    model: ModelName = "mini",
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/overlap"),
) -> None:
    """Find whether zero-shot scores rise with the subwords shared with English (Wu & Dredze 2019, section 5.4)."""
    from fewshot.commands import encoder_analyses as job

    job.overlap(job.Request(langs, model, device, out, typed()), data, task, console())


@command(analyze_app, stopped=GOES_ON)
def alignment(
    data: DataFolders,
    task: Tasks = "pos,dep,ner",
    parallel: Annotated[
        str, typer.Option(help="Task whose data are translations: pos (PUD) or topic (SIB-200).")
    ] = "pos",
    langs: Langs = LANGS,
    model: ModelName = "mini",
    sentences: Annotated[int, typer.Option(help="Translations of a language, at most.")] = 1000,
    seeds: Annotated[int, typer.Option(help="Untrained encoders to compare with.")] = 3,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the analysis.")] = Path("runs/alignment"),
) -> None:
    """Find how alike translations are in each layer, and whether transfer follows (Muller et al. 2021, section 4)."""
    from fewshot.commands import encoder_analyses as job

    request = job.Request(langs, model, device, out, typed())
    job.alignment(request, data, task, parallel, sentences, seeds, console())


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
