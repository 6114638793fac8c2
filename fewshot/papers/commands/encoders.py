"""``fewshot analyze``: studies of encoders, small, adapted to a few shots, or unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.common.base import (
    RESUME_HINT,
    CorpusFolder,
    Device,
    FolderList,
    Jobs,
    Method,
    ModelName,
    ModelNames,
    RatesFile,
    Regime,
    Rounds,
    Updates,
    command,
    command_line,
    console,
)
from fewshot.cli.common.progress import progress_bar
from fewshot.cli.common.reporting import SampleLangs, SampleOrFolders, Say, as_warning, print_table, run_analysis
from fewshot.options import MachineOptions, Request
from fewshot.papers.commands.options import (
    LANGS,
    Folder,
    ProbeTasks,
    ScaleName,
    Seeds,
    SourceTasks,
    TargetLangs,
    analyze,
    lists,
    run_study,
)

if TYPE_CHECKING:
    from fewshot.papers.small_encoders.design import Design, Scale
    from fewshot.progress import Report
    from fewshot.reports.page import Page

POINTS = "points.csv"
"""The points of all languages and samplers of a grid."""


@command(
    analyze, example="fewshot analyze bilingual --corpus corpus/ --data treebanks/ --scale tiny", stopped=RESUME_HINT
)
def bilingual(  # noqa: PLR0913
    corpus: CorpusFolder,
    data: FolderList,
    langs: TargetLangs = "es,ru,hi",
    table: Annotated[str, typer.Option(help="Tables of the paper: 1,3.", show_default="all, 1 to 10")] = "",
    task: ProbeTasks = "pos,ner,nli",
    scale: ScaleName = "small",
    seeds: Seeds = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/bilingual"),
) -> None:
    """Find what makes encoders of two languages cross-lingual (Karthikeyan et al. 2020)."""
    from fewshot.experiments.plan import parse_list, parse_numbers
    from fewshot.papers.bilingual import EN, design
    from fewshot.papers.small_encoders.design import find
    from fewshot.pretraining.corpus import check_languages

    tables, size, targets = parse_numbers("--table", table, "number", "1,3"), find(scale), parse_list(langs)
    check_languages(corpus, [EN, *targets])
    _pretrain_and_probe(design(size, targets, tables, seeds), task, size, corpus, data, (device, jobs), out)


@command(
    analyze, example="fewshot analyze monolingual --corpus corpus/ --data treebanks/ --scale tiny", stopped=RESUME_HINT
)
def monolingual(  # noqa: PLR0913
    corpus: CorpusFolder,
    data: FolderList,
    langs: Annotated[str, typer.Option(help="Languages to probe.")] = "fi,tr",
    partner: Annotated[str, typer.Option(help="Second language of bilingual encoders.")] = "en",
    task: ProbeTasks = "pos,dep,ner",
    scale: ScaleName = "small",
    seeds: Seeds = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/monolingual"),
) -> None:
    """Compare encoders of one language, two, and all of them (Wu & Dredze 2020)."""
    from fewshot.experiments.plan import parse_list
    from fewshot.papers.monolingual import design
    from fewshot.papers.small_encoders.design import find
    from fewshot.pretraining.corpus import check_languages, languages

    size, probed, known = find(scale), parse_list(langs), languages(corpus)
    check_languages(corpus, [partner, *probed])
    _pretrain_and_probe(design(size, probed, partner, known, seeds), task, size, corpus, data, (device, jobs), out)


def _pretrain_and_probe(
    design: Design,
    task: str,
    scale: Scale,
    corpus: Path,
    data: Sequence[Path],
    machine: tuple[str, int | None],
    out: Path,
) -> None:
    from fewshot.curves.results import RESULTS
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list
    from fewshot.papers.small_encoders.page import page
    from fewshot.papers.small_encoders.probes import execute, prepare

    def run(report: Report, say: Say) -> Page:
        work = prepare(design, parse_list(task), scale, corpus, data, this_machine(*machine), as_warning(say))
        return page(work, execute(work, out, report, say))

    run_analysis(run, out, [RESULTS])


@command(
    analyze,
    "few-shot-grid",
    example="fewshot analyze few-shot-grid --task pos --langs ja,sw --k 10,20",
    stopped=RESUME_HINT,
)
def few_shot_grid(  # noqa: PLR0913
    task: Annotated[str, typer.Option(help="Tasks.")] = "pos,dep,ner",
    langs: SampleLangs = "",
    sampler: Annotated[str, typer.Option(help="Samplers, or all.")] = "random,shortest,longest",
    k: Annotated[str, typer.Option(help="Examples to annotate; 10,50,100,500,1000 in the paper.")] = "10,40",
    articles: Annotated[str, typer.Option(help="Articles to annotate, for tasks with articles (qa).")] = "2,4",
    shot_sets: Annotated[int, typer.Option(help="Draws of each sampler.")] = 3,
    seeds: Annotated[int, typer.Option(help="Trainings on each draw.")] = 1,
    rounds: Rounds = False,
    data: SampleOrFolders = None,
    model: ModelName = "mini",
    method: Method = "full",
    regime: Regime = None,
    updates: Updates = None,
    rates: RatesFile = None,
    out: Annotated[Path, typer.Option(help="Output folder; with runs, runs of fewshot run there count.")] = Path(
        "runs/few-shot-grid"
    ),
    *,
    where: MachineOptions,
) -> None:
    """Find which sentences to annotate, by task, language and number (Lauscher et al. 2020)."""
    from fewshot import tasks
    from fewshot.costs import prices
    from fewshot.encoders.load import load_encoder
    from fewshot.experiments.data_folders import data_or_sample, langs_of_sample
    from fewshot.experiments.executors.place import find_place
    from fewshot.experiments.plan import make_plan, parse_ks, parse_list
    from fewshot.papers.few_shot_grid.findings import by_language
    from fewshot.papers.few_shot_grid.page import page
    from fewshot.papers.few_shot_grid.study import execute, parts
    from fewshot.reports import tables
    from fewshot.transfer.scoring import source_language

    known_rates = prices.load(rates)
    names = [tasks.get(name).name for name in parse_list(task)]
    encoder = load_encoder(model)
    source = source_language(names, encoder)
    drawn = {"sampler": sampler, "shot_sets": shot_sets, "seeds": seeds, "rounds": rounds}
    request = Request("", **drawn, method=method, regime=regime, updates=updates)
    ks = {name: articles if tasks.get(name).example.kind == "articles" else k for name in names}
    targets = parse_list(langs) or [lang for lang in langs_of_sample(names) if lang != source]
    requests = [replace(request, task=name, lang=lang, k=ks[name]) for name in names for lang in targets]

    def run(report: Report, say: Say) -> Page:
        grid = parts(plans, data_or_sample(data, names), encoder, as_warning(say))
        for part in grid:
            say(f"{part.plan.task} {part.plan.lang}: {part.data}, {len(part.plan.cells())} runs")
        results = execute(grid, model, place, out, known_rates, report, command_line())
        tables.write(by_language(results, known_rates), out / POINTS)
        return page(results, known_rates)

    for text in (k, articles):
        parse_ks(text)
    with find_place(where) as place:
        plans = [make_plan(request, place.device) for request in requests]
        run_analysis(run, out, [POINTS])


@command(analyze, example="fewshot analyze language-id --corpus corpus/ --langs en,fi,sv", stopped=RESUME_HINT)
def language_id(
    corpus: Annotated[Path, typer.Option(help="Folder with mono/LANG.txt.xz and parallel/*.tsv.xz.")],
    langs: Annotated[str, typer.Option(help="Languages to tell apart.", show_default="all of the corpus")] = "",
    model: ModelName = "mini",
    sentences: Annotated[int, typer.Option(help="Training sentences of each language, as many for the test.")] = 500,
    seeds: Annotated[int, typer.Option(help="Draws of sentences.")] = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/language-id"),
) -> None:
    """Find how well each layer tells languages apart (Wu & Dredze 2019, section 5.3)."""
    from fewshot.papers.language_id import analyse

    (codes,) = lists(langs)
    run_study(lambda run: analyse(corpus, codes, model, sentences, seeds, run), device, jobs, out)


@command(analyze, example="fewshot analyze overlap --data treebanks/ --task pos", stopped=RESUME_HINT)
def overlap(
    data: FolderList,
    task: SourceTasks = "pos,dep,ner,nli,topic",
    langs: TargetLangs = LANGS,
    model: ModelName = "mini",
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/overlap"),
) -> None:
    """Compare zero-shot scores with subwords shared with English (Wu & Dredze 2019, section 5.4)."""
    from fewshot.papers.overlap import analyse

    names, codes = lists(task, langs)
    run_study(lambda run: analyse(names, codes, model, data, run), device, jobs, out)


@command(analyze, example="fewshot analyze alignment --data treebanks/ --task pos", stopped=RESUME_HINT)
def alignment(  # noqa: PLR0913
    data: FolderList,
    task: SourceTasks = "pos,dep,ner",
    parallel: Annotated[
        str, typer.Option(help="Task whose data are translations: pos (PUD) or topic (SIB-200).")
    ] = "pos",
    langs: TargetLangs = LANGS,
    model: ModelName = "mini",
    sentences: Annotated[int, typer.Option(help="Maximum number of translations of a language.")] = 1000,
    seeds: Annotated[int, typer.Option(help="Untrained encoders to compare with.")] = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/alignment"),
) -> None:
    """Compare transfer with the similarity of translations by layer (Muller et al. 2021)."""
    from fewshot.papers.alignment.study import analyse

    names, codes = lists(task, langs)
    sizes = {"sentences": sentences, "seeds": seeds}
    run_study(lambda run: analyse(names, parallel, codes, model, data, run, **sizes), device, jobs, out)


@command(analyze, example="fewshot analyze pieces texts/ --model mini --model xlm-roberta-base")
def pieces(
    texts: Annotated[list[Path], typer.Argument(help="Raw text files named by language, e.g. sw.txt, or folders.")],
    model: ModelNames = None,
    lines: Annotated[int, typer.Option(min=1, help="Maximum number of lines of a text.")] = 1000,
    most: Annotated[int, typer.Option(min=1, help="Maximum number of rows of the table.")] = 30,
    out: Annotated[Path | None, typer.Option(help="CSV file for all rows.", show_default="none")] = None,
) -> None:
    """Count the pieces of words and the unknown characters by language, worst first (Rust et al. 2021)."""
    import pandas as pd

    from fewshot.corpora.files import write_text
    from fewshot.encoders.load import load_encoder
    from fewshot.papers.pieces import find_texts, measure, medians, table

    screen, files = console(), find_texts(texts)
    encoders = [load_encoder(name) for name in dict.fromkeys(model or ["mini"])]
    with progress_bar(screen, "reading") as report:
        counts = measure(encoders, files, lines, report)
    all_rows = table(encoders, counts)
    print_table(screen, replace(all_rows, rows=all_rows.rows[:most]))
    for line in medians(encoders, counts):
        screen.print(line, soft_wrap=True)
    if out:
        write_text(out, pd.DataFrame(all_rows.rows, columns=all_rows.columns).to_csv(index=False))
