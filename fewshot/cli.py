"""The command line: parse, call, print. Everything it does can be called from Python as well."""

from __future__ import annotations

import functools
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from fewshot.errors import FewshotError
from samplers import SamplerError

app = typer.Typer(
    help="How few sentences of my language must I annotate, which ones, and what will each point cost?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
data_app = typer.Typer(help="Treebanks of Universal Dependencies: list, download, check.", no_args_is_help=True)
app.add_typer(data_app, name="data")
analyze_app = typer.Typer(help="Experiments of papers that pretrain small encoders.", no_args_is_help=True)
app.add_typer(analyze_app, name="analyze")

GOES_ON = "what is done is kept, and the same command goes on from here"
BAD_INPUT = 2
INTERRUPTED = 130

F = TypeVar("F", bound=Callable[..., None])

Lang = Annotated[str, typer.Option(help="Target language, e.g. ja.", show_default=False)]
TaskName = Annotated[str, typer.Option(help="pos, dep, ner, nli, qa or topic; options after it, e.g. dep+upos.")]
ModelName = Annotated[str, typer.Option(help="mini (embedded), a hub id such as xlm-roberta-base, or a folder.")]
Data = Annotated[str, typer.Option(help="sample (embedded), ud, UD_Japanese-GSD, a folder, or a file.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or mps.")]
CorpusFolder = Annotated[Path, typer.Option(help="Folder with mono/LANG.txt.xz.")]
DataFolders = Annotated[list[Path], typer.Option(help="Folder of folders such as it_isdt or wikiann_it; repeatable.")]
ScaleName = Annotated[str, typer.Option(help="small, tiny, or a TOML file with settings of encoders and probes.")]
Seeds = Annotated[int, typer.Option(help="Pretrainings and probes of each row.")]
Database = Annotated[
    str | None,
    typer.Option(
        "--db", help="sqlite:///FILE or postgresql://USER@HOST/NAME.", show_default="FEWSHOT_DB_URL, else a file"
    ),
]
RatesFile = Annotated[Path | None, typer.Option(help="Your prices: a TOML file like data/rates.toml.")]


def main() -> None:
    """Run the command line."""
    app()


def console(stderr: bool = False) -> Console:
    """Return a console that prints what users named as it is, brackets too."""
    return Console(stderr=stderr, markup=False, highlight=False)


def command(group: typer.Typer, name: str | None = None, stopped: str = "nothing was changed") -> Callable[[F], F]:
    """Register a command; bad input ends it with one line and exit code 2.

    Args:
        group: where the command belongs.
        name: by default the function's.
        stopped: what is said of what is done when the user stops it.
    """

    def register(function: F) -> F:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> None:
            try:
                function(*args, **kwargs)
            except (FewshotError, SamplerError) as error:
                line = " ".join(str(error).split())
                console(stderr=True).print(Text.assemble(("error:", "bold red"), f" {line}"), soft_wrap=True)
                raise typer.Exit(BAD_INPUT) from None
            except KeyboardInterrupt:
                console(stderr=True).print(f"\nstopped; {stopped}", soft_wrap=True)
                raise typer.Exit(INTERRUPTED) from None

        group.command(name)(run)
        return function

    return register


@command(app, stopped=GOES_ON)
def run(
    lang: Lang,
    k: Annotated[str, typer.Option(help="Sentences to annotate: 10, or 10,50,100. 0 is always run.")] = "10",
    task: TaskName = "pos",
    sampler: Annotated[str, typer.Option(help="random, longest, entropy ...; several with commas, or all.")] = "random",
    seeds: Annotated[int | None, typer.Option(help="Trainings on each draw.", show_default="2 (GPU: 3)")] = None,
    shot_sets: Annotated[int | None, typer.Option(help="Draws of each sampler.", show_default="3")] = None,
    model: ModelName = "mini",
    data: Data = "sample",
    method: Annotated[
        str, typer.Option(help="full (the bottom stays at small k, see the report), lora, feature-based, or freeze-N.")
    ] = "full",
    regime: Annotated[str, typer.Option(help="joint (source and target mixed) or sequential.")] = "joint",
    updates: Annotated[int | None, typer.Option(help="Optimizer steps.", show_default="by k")] = None,
    source: Annotated[Path | None, typer.Option(help="Folder of a source model.")] = None,
    source_data: Annotated[Path | None, typer.Option(help="Source-language data to mix in (joint).")] = None,
    min_tokens: Annotated[int | None, typer.Option(help="Shortest example.", show_default="3 if sentences")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Longest example.", show_default="50 if sentences")] = None,
    rates: RatesFile = None,
    bill_test: Annotated[bool, typer.Option("--bill-test", help="Count the test set's labels in the bill.")] = False,
    threshold: Annotated[float, typer.Option(help="Points that the next batch must bring to be worth it.")] = 1.0,
    device: Device = "auto",
    out: Annotated[Path | None, typer.Option(help="Folder of the run.", show_default="runs/LANG-TASK-HASH")] = None,
) -> None:
    """Show what k labelled sentences of a language buy: score, learning curve, cost of each point."""
    from fewshot.commands import run as job

    job.run(
        job.Request(
            lang=lang,
            k=k,
            task=task,
            sampler=sampler,
            seeds=seeds,
            shot_sets=shot_sets,
            model=model,
            data=data,
            method=method,
            regime=regime,
            updates=updates,
            source=source,
            source_data=source_data,
            min_tokens=min_tokens,
            max_tokens=max_tokens,
            rates=rates,
            bill_test=bill_test,
            threshold=threshold,
            device=device,
            out=out,
            command=shlex.join(["fewshot", *sys.argv[1:]]),
        ),
        console(),
    )


@command(app, "zero-shot", stopped=GOES_ON)
def zero_shot(
    task: Annotated[str, typer.Option(help="all, or tasks with commas.")] = "all",
    langs: Annotated[str, typer.Option(help="Target languages, e.g. ja,sv.", show_default="those of the sample")] = "",
    data: Annotated[
        list[Path] | None, typer.Option(help="Folder of folders such as it_isdt; repeatable.", show_default="sample")
    ] = None,
    model: ModelName = "mini",
    mixed: Annotated[bool, typer.Option("--mixed", help="NLI: premises with hypotheses of other languages.")] = False,
    device: Device = "auto",
    out: Annotated[Path, typer.Option(help="Folder of the table.")] = Path("runs/zero-shot"),
) -> None:
    """Score the source models on other languages: a table of drops, a row a task."""
    from fewshot.commands import zero_shot as job

    command = shlex.join(["fewshot", *sys.argv[1:]])
    job.zero_shot(job.Request(task, langs, data or [], model, mixed, device, out, command), console())


@command(app, stopped="the report may not be written; repeat the command")
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished or half-finished runs.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("comparison"),
    rates: RatesFile = None,
    bill_test: Annotated[bool, typer.Option("--bill-test", help="Count the test set's labels in the bill.")] = False,
    target: Annotated[float | None, typer.Option(help="Score, in percent, to say the price of.")] = None,
    table: Annotated[list[Path] | None, typer.Option(help="File of all points: .csv, .md or .tex; repeatable.")] = None,
    figure: Annotated[list[Path] | None, typer.Option(help=".png, .svg, .pdf or .html; repeatable.")] = None,
) -> None:
    """Put several runs into one report: languages, samplers, encoders, methods."""
    from fewshot.commands import compare as job

    command = shlex.join(["fewshot", *sys.argv[1:]])
    job.compare(job.Request(runs, out, rates, bill_test, target, table or [], figure or [], command), console())


@command(app, stopped="no model is kept, and the same command begins again; a search repeats no candidate")
def source(
    data: Annotated[str, typer.Option(help="Annotated English (or --lang): a folder, file, ud or UD_English-EWT.")],
    task: TaskName = "pos",
    model: ModelName = "mini",
    lang: Annotated[str, typer.Option(help="Source language.")] = "en",
    method: Annotated[str, typer.Option(help="full, lora, feature-based, or freeze-N.")] = "full",
    epochs: Annotated[int | None, typer.Option(help="Passes over the training data.", show_default="by task")] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Try 12 learning rates, batches and epochs; keep the best on the dev file.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of head, data order and dropout.")] = 0,
    device: Device = "auto",
    out: Annotated[Path | None, typer.Option(help="Folder of the model.", show_default="the user's cache")] = None,
) -> None:
    """Train the source model of a task, usually English; later runs find it by themselves."""
    from fewshot.commands import source as job

    request = job.Request(data, task, model, lang, method, epochs, search, seed, device, out)
    job.source(request, console())


@command(app, stopped="the same command goes on from the last checkpoint, or begins again where there is none")
def pretrain(
    config: Annotated[Path, typer.Argument(help="A TOML file such as data/models/mini.toml.")],
    corpus: Annotated[Path, typer.Option(help="Folder with mono/ and parallel/ texts.")],
    out: Annotated[Path, typer.Option(help="Folder of the encoder.")],
    device: Device = "auto",
) -> None:
    """Pretrain a small multilingual encoder."""
    from fewshot.commands import pretrain as job

    job.pretrain(config, corpus, out, device, console())


@command(app, "app", stopped="what was annotated is saved")
def open_app(
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8501,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0: other machines too.")] = "127.0.0.1",
    db: Database = None,
    users: Annotated[bool, typer.Option("--users", help="Ask for a name and a password.")] = False,
) -> None:
    """Annotate in the browser."""
    from fewshot.commands import app as job

    job.serve(port, host, db, users, console())


@command(app, stopped="a job that was running can be started again in the app")
def worker(db: Database = None) -> None:
    """Do the jobs of the app, such as suggestions, on this machine."""
    from fewshot.commands import app as job

    job.work(db, console())


@command(data_app, "list")
def data_list(
    lang: Annotated[str | None, typer.Argument(help="Only this language.", show_default=False)] = None,
) -> None:
    """List the treebanks that can be named, and which are in the cache."""
    from fewshot.commands import data as job

    job.show(lang, console())


@command(data_app, "get", stopped="what has arrived is kept, and the same command gets the rest")
def data_get(
    treebank: Annotated[str, typer.Argument(help="ja, ja_gsd, UD_Japanese-GSD ...", show_default=False)],
    release: Annotated[str | None, typer.Option(help="UD release.", show_default="the newest known")] = None,
    home: Annotated[str | None, typer.Option(help="Where treebanks are published.", show_default="GitHub")] = None,
    cache: Annotated[Path | None, typer.Option(help="Cache folder.", show_default="the user's cache")] = None,
) -> None:
    """Download a treebank of Universal Dependencies into the cache."""
    from fewshot.commands import data as job

    job.get(treebank, release, home, cache, console())


@command(data_app, "check")
def data_check(
    path: Annotated[Path | None, typer.Argument(help="A file or folder of yours.", show_default="the cache")] = None,
    task: Annotated[str | None, typer.Option(help="Check the labels of this task too.")] = None,
) -> None:
    """Check treebanks: the cache against what was downloaded, or your own file line by line."""
    from fewshot.commands import data as job

    job.check(path, task, console())


@command(app)
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.", show_default=False)],
    db: Database = None,
) -> None:
    """Write everything that was annotated to one file."""
    from fewshot.commands import store as job

    job.backup(file, db, console())


@command(app)
def restore(
    file: Annotated[Path, typer.Argument(help="A file that fewshot backup wrote.", show_default=False)],
    db: Database = None,
) -> None:
    """Fill an empty database from a backup, SQLite or PostgreSQL."""
    from fewshot.commands import store as job

    job.restore(file, db, console())


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
    from fewshot.commands import analyze as job

    command = shlex.join(["fewshot", *sys.argv[1:]])
    job.bilingual(job.Request(corpus, data, langs, task, scale, seeds, device, out, command), table, console())


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
    from fewshot.commands import analyze as job

    command = shlex.join(["fewshot", *sys.argv[1:]])
    job.monolingual(job.Request(corpus, data, langs, task, scale, seeds, device, out, command), partner, console())
