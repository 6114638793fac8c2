"""``fewshot analyze``: studies of transfer: its correlates, source languages, pretrained layers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.common.base import RESUME_HINT, Device, FolderList, Jobs, ModelName, TaskName, command
from fewshot.cli.common.reporting import ScoresFile, SourceLanguage, run_analysis
from fewshot.cli.zero_shot import zero_shot
from fewshot.papers.commands.options import (
    FineTunedTasks,
    FineTunings,
    Folder,
    ScoredLangs,
    Sentences,
    TestSentences,
    TrainedLangs,
    TrainingFolders,
    Updates,
    analyze,
    lists,
    run_study,
)

if TYPE_CHECKING:
    from fewshot.papers.measurements import StudyRun
    from fewshot.reports.page import Page


@command(analyze, example="fewshot analyze transfer")
def transfer(scores: ScoresFile = None, source: SourceLanguage = "en", out: Folder = Path("runs/transfer")) -> None:
    """Find what zero-shot scores go with: similar languages, pretraining size (Lauscher et al. 2020)."""
    from fewshot.corpora.files import write_text
    from fewshot.papers.measurements import TABLE
    from fewshot.papers.transfer import page, samples, table
    from fewshot.transfer.scores import SOURCES, load

    known = samples(load(scores), source)
    write_text(out / TABLE, table(known).to_csv(index=False))
    run_analysis(lambda report, say: page(known, str(scores or SOURCES)), out, [TABLE])


@command(analyze, example="fewshot analyze sources --data treebanks/ --task pos", stopped=RESUME_HINT)
def sources(  # noqa: PLR0913
    data: FolderList,
    task: TaskName = "pos",
    source: Annotated[str, typer.Option(help="Languages to train on.", show_default="all that have data")] = "",
    langs: Annotated[str, typer.Option(help="Languages to score.", show_default="all that have test files")] = "",
    model: ModelName = "mini",
    sentences: Sentences = 500,
    test_sentences: TestSentences = 200,
    updates: Updates = 150,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/sources"),
) -> None:
    """Measure how well `fewshot sources` ranks, with a model of each language (Ebrahimi et al. 2025)."""
    from fewshot.papers.sources import measure, page, prepare

    sources, targets = lists(source, langs)
    sizes = {"sentences": sentences, "tests": test_sentences, "updates": updates}

    def rank(run: StudyRun) -> Page:
        study = prepare(task, sources, targets, data, model, run, **sizes)
        return page(study, measure(study))

    run_study(rank, device, jobs, out)


@command(analyze, example="fewshot analyze resources --data treebanks/ --task pos --k 50", stopped=RESUME_HINT)
def resources(  # noqa: PLR0913
    data: FolderList,
    task: Annotated[str, typer.Option(help="ner, pos, or both.")] = "ner",
    langs: Annotated[str, typer.Option(help="Languages.", show_default="all with data")] = "",
    k: Annotated[str, typer.Option(help="Training sentences of each language.")] = "50,500",
    model: ModelName = "mini",
    seeds: Annotated[int, typer.Option(help="Draws of the sentences, each with its own training.")] = 3,
    updates: Annotated[int, typer.Option(help="Optimizer steps of every training.")] = 500,
    tested: Annotated[int, typer.Option("--test", help="Maximum number of test sentences.")] = 1000,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/resources"),
) -> None:
    """See whether low-resource languages gain from an encoder (Wu & Dredze 2020)."""
    from fewshot.encoders.load import load_encoder
    from fewshot.experiments.data_folders import DataFolders
    from fewshot.experiments.plan import parse_list, parse_numbers
    from fewshot.papers.resources.linear_models import least_squares
    from fewshot.papers.resources.page import page
    from fewshot.papers.resources.study import Study, langs_with_wikisize, measure

    least_squares()  # raises before hours of training where statsmodels is missing
    ks, codes = parse_numbers("--k", k, "number of sentences", "50,500"), langs_with_wikisize(parse_list(langs))

    def compare(run: StudyRun) -> Page:
        study = Study(load_encoder(model), parse_list(task), codes, ks, seeds, updates, tested, run)
        return page(measure(study, DataFolders(data, codes, run.warn)))

    run_study(compare, device, jobs, out)


@command(analyze, example="fewshot analyze layers --task pos --frozen 0,3", stopped=RESUME_HINT)
def layers(  # noqa: PLR0913
    data: TrainingFolders = None,
    task: FineTunedTasks = "pos,dep,ner,nli",
    source: TrainedLangs = "en",
    langs: ScoredLangs = "ar,fi,hi,ja,sv,tr",
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
    jobs: Jobs = None,
    out: Folder = Path("runs/layers"),
) -> None:
    """Find which bottom layers to freeze, or all (Wu & Dredze 2019, section 5.2)."""
    from fewshot.experiments.plan import parse_numbers
    from fewshot.papers.fine_tuning import prepare
    from fewshot.papers.layers import analyse

    bottoms = parse_numbers("--frozen", frozen, "number of layers", "0,1,2")
    names, sources, targets = lists(task, source, langs)
    sizes = {"sentences": sentences, "tests": test_sentences, "updates": updates, "seeds": seeds}
    run_study(
        lambda run: analyse(prepare(names, sources, targets, data, model, run, **sizes), bottoms), device, jobs, out
    )


@command(analyze, "random-init", example="fewshot analyze random-init --task pos --layers 1-4", stopped=RESUME_HINT)
def random_init(  # noqa: PLR0913
    data: TrainingFolders = None,
    task: FineTunedTasks = "pos,dep,ner",
    source: TrainedLangs = "en",
    langs: ScoredLangs = "ar,fi,hi,ja,sv,tr",
    layers: Annotated[
        str, typer.Option(help="groups (sixths of the encoder, and all of it), single, or a list: 1,2,1-4.")
    ] = "groups",
    model: ModelName = "mini",
    sentences: Sentences = 3000,
    test_sentences: TestSentences = 500,
    updates: Updates = 150,
    seeds: FineTunings = 5,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/random-init"),
) -> None:
    """Find which pretrained layers transfer needs, by re-initialising them (Muller et al. 2021)."""
    from fewshot.papers.fine_tuning import prepare
    from fewshot.papers.random_init import analyse

    names, sources, targets = lists(task, source, langs)
    sizes = {"sentences": sentences, "tests": test_sentences, "updates": updates, "seeds": seeds}
    run_study(
        lambda run: analyse(prepare(names, sources, targets, data, model, run, **sizes), layers), device, jobs, out
    )


command(analyze, "zero-shot", example="fewshot analyze zero-shot --task pos", stopped=RESUME_HINT)(zero_shot)
