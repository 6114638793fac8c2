"""``fewshot run``: the walk from a pool to a learning curve and its bill."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from fewshot import tasks
from fewshot.cli.base import (
    GOES_ON,
    Data,
    Device,
    GpusPerRun,
    Jobs,
    Lang,
    ModelName,
    RatesFile,
    RayAddress,
    TaskName,
    app,
    command,
    console,
    downloading,
    progress_bar,
    typed,
)
from fewshot.cli.llm import (
    Beside,
    LanguageModel,
    LlmCap,
    LlmGuidelines,
    LlmJobs,
    LlmName,
    LlmSilver,
    LlmTimeout,
    LlmTokens,
    LlmUrl,
)
from fewshot.errors import FewshotError
from fewshot.llm.server import HERE

if TYPE_CHECKING:
    import torch

    from fewshot.corpora.load import Corpus
    from fewshot.costs.prices import Rates
    from fewshot.curves.points import Curve
    from fewshot.curves.results import Result
    from fewshot.experiments.executors.base import Workers
    from fewshot.experiments.experiment import Experiment
    from fewshot.experiments.plan import Plan
    from fewshot.experiments.request import Request
    from fewshot.reports.page import Section

AUTO = Path("auto")
"""Stands for the best ranked of the source models that are here."""


@command(app, stopped=GOES_ON)
def run(  # noqa: PLR0913
    lang: Lang,
    k: Annotated[str, typer.Option(help="Sentences to annotate: 10, or 10,50,100. 0 is always run.")] = "10",
    task: TaskName = "pos",
    sampler: Annotated[
        str | None,
        typer.Option(
            help="random, longest, entropy ...; several with commas, or all.", show_default="random; ner: confused"
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Trainings on each draw.", show_default="2 (GPU: 3)")] = None,
    shot_sets: Annotated[int | None, typer.Option(help="Draws of each sampler.", show_default="3")] = None,
    rounds: Annotated[
        bool,
        typer.Option("--rounds", help="Active samplers: after each k, the model of the shots so far chooses the next."),
    ] = False,
    model: ModelName = "mini",
    data: Data = "sample",
    method: Annotated[
        str,
        typer.Option(help="full (by k and encoder), lora, feature-based, freeze-N, freeze-none, or lauscher2020."),
    ] = "full",
    regime: Annotated[
        str | None, typer.Option(help="joint (source and target mixed) or sequential.", show_default="by task")
    ] = None,
    updates: Annotated[int | None, typer.Option(help="Optimizer steps.", show_default="by k and task")] = None,
    swaps: Annotated[
        float | None,
        typer.Option(
            help="Trees: how often subtrees of one are swapped for others before it is read.", show_default="by task"
        ),
    ] = None,
    balanced: Annotated[
        bool | None,
        typer.Option(
            "--balanced/--unbalanced",
            help="Entities: words outside of them weigh at most as much as those inside.",
            show_default="by task, encoder and method",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(help="Folder of a source model, or auto: that of the language ranked first, see sources."),
    ] = None,
    source_models: Annotated[
        list[Path] | None,
        typer.Option(help="Folder of source models for --source auto; repeatable.", show_default="those kept"),
    ] = None,
    source_data: Annotated[Path | None, typer.Option(help="Source-language data to mix in (joint).")] = None,
    min_tokens: Annotated[int | None, typer.Option(help="Shortest example.", show_default="3 if sentences")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Longest example.", show_default="50 if sentences")] = None,
    rates: RatesFile = None,
    bill_test: Annotated[bool, typer.Option("--bill-test", help="Count the test set's labels in the bill.")] = False,
    threshold: Annotated[float, typer.Option(help="Points that the next batch must bring to be worth it.")] = 1.0,
    device: Device = "auto",
    jobs: Jobs = None,
    ray: RayAddress = None,
    gpus_per_run: GpusPerRun = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the run.", show_default="runs/LANG-TASK-HASH")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many trainings, how long and how dear; one is timed, and kept.")
    ] = False,
    test_share: Annotated[
        float | None, typer.Option(help="Score on a random share of the test set: 0.2.", show_default="all of it")
    ] = None,
    llm: LlmName = None,
    llm_url: LlmUrl = HERE,
    llm_cap: LlmCap = 1.0,
    llm_guidelines: LlmGuidelines = None,
    llm_timeout: LlmTimeout = 120.0,
    llm_tokens: LlmTokens = 8192,
    llm_jobs: LlmJobs = 4,
    silver: LlmSilver = None,
) -> None:
    """Show what k labelled sentences of a language buy: score, learning curve, cost of each point."""
    kind = tasks.get(task).example.kind  # a slip is said before the libraries that compute are loaded
    from fewshot.cli.forecast import Forecasts
    from fewshot.costs import prices
    from fewshot.curves.points import curves
    from fewshot.curves.results import RESULTS, read_results
    from fewshot.experiments.executors.place import find_place
    from fewshot.experiments.request import Request
    from fewshot.experiments.run import execute
    from fewshot.reports import findings

    screen, price_list = console(), prices.load(rates)
    if source_models and source != AUTO:
        raise FewshotError("--source-models are those that --source auto chooses from; add that, or leave them out")
    if nowhere := [folder for folder in source_models or [] if not folder.is_dir()]:
        raise FewshotError(f"{nowhere[0]}: no such folder of source models")
    request = Request(
        lang, task, k, sampler, seeds, shot_sets, rounds, model, data, method, regime, updates, swaps, balanced,
        source, source_data, min_tokens, max_tokens, test_share,
    )  # fmt: skip
    if silver and llm is None:
        raise FewshotError(f"--silver {silver}: a language model gives these labels; add --llm MODEL, or leave it out")
    asked = (
        LanguageModel.of(
            llm, llm_url, llm_cap, llm_guidelines, llm_timeout, llm_tokens, llm_jobs, price_list, silver or 0
        )
        if llm is not None
        else None
    )
    with find_place(device, jobs, ray, gpus_per_run) as place:
        plan = request.plan(place.device)
        with downloading(screen) as progress:
            corpus = request.corpus(progress)
        request = with_source(request, corpus, place.device, screen, source_models)
        with screen.status(f"loading the source model, which reads {len(corpus.pool)} {kind} if a sampler asks it"):
            experiment = request.experiment(plan, corpus, place.device)
        folder, workers = out or experiment.folder, place.workers(experiment)
        _print_header(experiment, folder, workers, screen)
        if dry_run:
            forecasts = Forecasts(price_list, screen)
            forecasts.add(request, experiment, folder, workers)
            return forecasts.show(place.device)
        if asked:
            asked.announce(experiment, out, price_list, screen)
        with progress_bar(screen, "loading") as report:
            execute(experiment, folder, price_list, report, command=typed(), workers=workers)
        stopped = asked.ask(experiment, folder, out, price_list, workers, screen) if asked else None
    results, besides = read_results(folder / RESULTS), Beside.all_of(folder)
    group = Path(experiment.trainer.source.encoder.name).name if besides else ""
    learned = curves(results, price_list, bill_test, group)
    learned += [curve for beside in besides for curve in beside.curves(price_list, bill_test)]
    sections = [beside.section(learned, price_list, kind) for beside in besides]
    advice = findings.advice(learned, kind, threshold)
    _write_report(folder, experiment, plan, results, learned, price_list, bill_test, advice, besides, sections)
    told = [line for section in sections for line in section.lines]
    _print_end(folder, learned, experiment, [*advice, *told], screen)
    if stopped:
        raise stopped


def with_source(
    request: Request, corpus: Corpus, device: torch.device, screen: Console, folders: Sequence[Path] | None = None
) -> Request:
    """Return a request where `AUTO` is the best ranked of the source models that are here; it is said which, and why.

    Args:
        folders: of source models; None: those that are kept, and the embedded ones.
    """
    if request.source != AUTO:
        return request
    from fewshot.encoders.load import load_encoder
    from fewshot.source_choice.models import choose
    from fewshot.training import sources
    from fewshot.training.adapt import here

    task, roots = tasks.get(request.task), folders or [sources.kept_in(), sources.embedded_in()]
    with progress_bar(screen, "reading") as report:
        encoder = load_encoder(request.model)
        choice = choose(task, request.lang, encoder, corpus.pool, roots, request.method, here(device), report)
    screen.print(f"source model {choice.place}: {choice.why}", soft_wrap=True)
    return replace(request, source=choice.place)


def _print_header(experiment: Experiment, folder: Path, workers: Workers, screen: Console) -> None:
    from fewshot.encoders.load import EMBEDDED
    from fewshot.experiments import plan_file

    facts = plan_file.facts(experiment, experiment.conditions)
    lines = {title: "; ".join(f"{name} {value}" for name, value in facts[title].items()) for title in ("Data", "Model")}
    if workers.at_once is not None:
        lines["Jobs"] = str(workers)
    encoder, task = experiment.trainer.source.encoder, experiment.trainer.task
    for title, line in {**lines, "Out": str(folder)}.items():
        screen.print(Text.assemble((f"{title:6}", "bold"), line), soft_wrap=True)
        if title == "Model" and (encoder.name == EMBEDDED or _is_sample(experiment)):
            data = f" --data {tasks.real_data(task)}" if _is_sample(experiment) else ""
            hint = f"for real work: --model xlm-roberta-base{data}"
            screen.print(f"{'':6}{hint}", style="dim", soft_wrap=True)
    if notice := experiment.trainer.notice(experiment.corpus.test):
        screen.print(notice, soft_wrap=True)


def _is_sample(experiment: Experiment) -> bool:
    return experiment.corpus.source.startswith("embedded")


def _write_report(  # noqa: PLR0913
    folder: Path,
    experiment: Experiment,
    plan: Plan,
    results: Sequence[Result],
    learned: Sequence[Curve],
    rates: Rates,
    bill_test: bool,
    advice: Sequence[str],
    besides: Sequence[Beside],
    sections: Sequence[Section],
) -> None:
    """Write ``report.html`` and ``curve.html``."""
    from fewshot.encoders.load import EMBEDDED
    from fewshot.experiments import plan_file
    from fewshot.reports import learning_curves, page

    task, written = experiment.trainer.task, plan_file.read(folder)
    data = ("DATA", tasks.real_data(task)) if _is_sample(experiment) else (experiment.corpus.source,)
    further = learning_curves.further_commands(plan.task, plan.lang, plan.ks, plan.samplers, plan.rounds, *data)
    report = learning_curves.of_run(
        [*results, *(result for beside in besides for result in beside.results)],
        learned,
        task=task.title,
        metric=task.score_label,
        kind=task.example.kind,
        rates=rates,
        bill_test=bill_test,
        findings=advice,
        facts={**written["facts"], **{title: facts for beside in besides for title, facts in beside.facts.items()}},
        commands=written["commands"],
        further=further if experiment.trainer.source.encoder.name == EMBEDDED else (),
        more=sections,
    )
    page.write(report, folder / "report.html")
    learning_curves.write_curve(report, folder / "curve.html")


def _print_end(
    folder: Path, learned: Sequence[Curve], experiment: Experiment, advice: Sequence[str], screen: Console
) -> None:
    from fewshot.curves.results import RESULTS
    from fewshot.experiments.run import MODEL
    from fewshot.reports import learning_curves, terminal

    task = experiment.trainer.task
    screen.print(terminal.table(learned, task.score_label))
    headline = learning_curves.headline(learned, experiment.trainer.lang, task.example.kind, task.score_label)
    files = [f"  {folder / name}" for name in ("report.html", RESULTS, MODEL)]
    for line in (headline, *learning_curves.doubts(learned), *files, *advice):
        screen.print(line, soft_wrap=True)
