"""``fewshot run``: from a pool to a learning curve and its cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from fewshot import tasks
from fewshot.cli.common.base import RESUME_HINT, BillTest, RatesFile, app, command, command_line, console, warn_of_lang
from fewshot.cli.common.llm import LanguageModel, LinkedResults
from fewshot.cli.common.progress import download_progress, progress_bar
from fewshot.errors import FewshotError
from fewshot.options import COST, TRAINING, LlmOptions, MachineOptions, Request

if TYPE_CHECKING:
    import torch

    from fewshot.corpora.load import Corpus
    from fewshot.costs.prices import Rates
    from fewshot.curves.points import Curve
    from fewshot.experiments.executors.base import Workers
    from fewshot.experiments.experiment import Experiment
    from fewshot.experiments.plan import Plan

AUTO = Path("auto")
"""Value of ``--source`` that selects the best-ranked source model on this machine."""


@command(
    app,
    example="fewshot run --lang ja --k 10,20\nfewshot run --lang wo --data my_wolof/ --k 10,20,50 --dry-run",
    panels={TRAINING: "source_models", COST: "rates bill_test threshold"},
    stopped=RESUME_HINT,
)
def run(  # noqa: PLR0913
    request: Request,
    source_models: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of source models for --source auto; repeatable.",
            show_default="the user's and the embedded ones",
        ),
    ] = None,
    rates: RatesFile = None,
    bill_test: BillTest = False,
    threshold: Annotated[float, typer.Option(help="Points that the next batch must gain to be worth it.")] = 1.0,
    out: Annotated[Path | None, typer.Option(help="Folder of the run.", show_default="runs/LANG-TASK-HASH")] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Print the number of trainings, the estimated time and the cost, then stop. Times one training and "
            "keeps its result.",
        ),
    ] = False,
    *,
    where: MachineOptions,
    llm: LlmOptions,
) -> None:
    """Show the effect of k labelled sentences of a language: score, learning curve, cost of each point."""
    warn_of_lang(request.lang)
    tasks.get(request.task)  # an unknown task fails before large libraries are loaded
    from fewshot.cli.common.dry_run import DryRun
    from fewshot.costs import prices
    from fewshot.experiments.executors.place import find_place
    from fewshot.experiments.run import execute

    screen, price_list = console(), prices.load(rates)
    if source_models and request.source != AUTO:
        raise FewshotError("--source-models is for --source auto only; add --source auto, or leave it out")
    if missing := [folder for folder in source_models or [] if not folder.is_dir()]:
        raise FewshotError(f"{missing[0]}: no such folder of source models")
    language_model = LanguageModel.from_options(llm, price_list)
    with find_place(where) as place:
        plan, experiment = load_run(request, place.device, screen, source_models)
        folder, workers = out or experiment.folder, place.workers(experiment)
        _print_header(experiment, folder, workers, screen)
        if dry_run:
            estimate = DryRun(price_list, screen)
            estimate.add(request, experiment, folder, workers)
            return estimate.show(place.device)
        if language_model:
            language_model.announce(experiment, out, price_list, screen)
        with progress_bar(screen, "loading") as report:
            execute(experiment, folder, price_list, report, command=command_line(), workers=workers)
        stopped = language_model.ask(experiment, folder, out, price_list, workers, screen) if language_model else None
    _report(folder, experiment, plan, price_list, bill_test, threshold, screen)
    if stopped:
        raise stopped


def load_run(
    request: Request, device: torch.device, screen: Console, folders: Sequence[Path] | None = None
) -> tuple[Plan, Experiment]:
    """Return the plan and the experiment of a request.

    Missing data is downloaded; a source model `AUTO` becomes the best-ranked one, and the choice is printed.

    Args:
        folders: folders of source models; None: the user's and the embedded ones.
    """
    from fewshot.corpora.load import load, with_test_share
    from fewshot.experiments.experiment import load_experiment
    from fewshot.experiments.plan import make_plan

    plan, task = make_plan(request, device), tasks.get(request.task)
    kind = task.example.kind
    with download_progress(screen) as progress:
        corpus = load(
            request.lang,
            request.data,
            kind,
            request.min_tokens,
            request.max_tokens,
            instead=task.data_hint,
            task=task,
            progress=progress,
        )
    if request.test_share is not None:
        corpus = with_test_share(corpus, request.test_share)
    source = request.source if request.source != AUTO else _choose_source(request, corpus, device, screen, folders)
    with screen.status(f"loading the source model, which reads {len(corpus.pool)} {kind} if a sampler is active"):
        experiment = load_experiment(
            plan,
            corpus,
            request.model,
            device,
            source,
            request.source_data,
            vowel_signs=request.vowel_signs,
            dictionary=request.dictionary,
        )
    return plan, experiment


def _choose_source(
    request: Request, corpus: Corpus, device: torch.device, screen: Console, folders: Sequence[Path] | None
) -> Path:
    """Return the folder of the best-ranked source model; print the choice."""
    from fewshot.encoders.load import load_encoder
    from fewshot.encoders.vowel_signs import fit_encoder
    from fewshot.source_choice.models import choose
    from fewshot.training import sources
    from fewshot.training.adapt import trainable_device

    task, roots = tasks.get(request.task), folders or [sources.user_dir(), sources.embedded_dir()]
    with progress_bar(screen, "reading") as report:
        encoder = fit_encoder(load_encoder(request.model), corpus.pool, corpus.test, request.vowel_signs)
        settings = request.method, trainable_device(device), report, request.pooling
        choice = choose(task, request.lang, encoder, corpus.pool, roots, *settings)
    screen.print(f"source model {choice.place}: {choice.why}", soft_wrap=True)
    return choice.place


def _print_header(experiment: Experiment, folder: Path, workers: Workers, screen: Console) -> None:
    from fewshot.encoders.load import EMBEDDED
    from fewshot.experiments import plan_file

    facts = plan_file.collect_facts(experiment, experiment.cells)
    lines = {title: "; ".join(f"{name} {value}" for name, value in facts[title].items()) for title in ("Data", "Model")}
    if workers.at_once is not None:
        lines["Jobs"] = str(workers)
    encoder, task = experiment.trainer.source.encoder, experiment.trainer.task
    for title, line in {**lines, "Out": str(folder)}.items():
        screen.print(Text.assemble((f"{title:6}", "bold"), line), soft_wrap=True)
        if title == "Model" and (encoder.name == EMBEDDED or _is_sample(experiment)):
            data = f" --data {task.data_hint}" if _is_sample(experiment) else ""
            hint = f"for real work: --model xlm-roberta-base{data}"
            screen.print(f"{'':6}{hint}", style="dim", soft_wrap=True)
    if notice := experiment.trainer.new_labels_notice(experiment.corpus.test):
        screen.print(notice, soft_wrap=True)


def _is_sample(experiment: Experiment) -> bool:
    return experiment.corpus.source.startswith("embedded")


def _report(
    folder: Path, experiment: Experiment, plan: Plan, rates: Rates, bill_test: bool, threshold: float, screen: Console
) -> None:
    from fewshot.curves.points import curves
    from fewshot.curves.results import RESULTS, read_results
    from fewshot.encoders.load import EMBEDDED
    from fewshot.experiments import plan_file
    from fewshot.reports import findings, learning_curves, page, tables

    task, encoder, written = experiment.trainer.task, experiment.trainer.source.encoder.name, plan_file.read(folder)
    kind = task.example.kind
    results, linked = read_results(folder / RESULTS), LinkedResults.read_all(folder)
    drawn = curves(results, rates, bill_test, Path(encoder).name if linked else "")
    drawn += [curve for other in linked for curve in other.curves(rates, bill_test)]
    sections = [other.section(drawn, rates, kind) for other in linked]
    advice = findings.advise_on(drawn, kind, threshold)
    data = ("DATA", task.data_hint) if _is_sample(experiment) else (experiment.corpus.source,)
    further = learning_curves.further_commands(plan.task, plan.lang, plan.ks, plan.samplers, plan.rounds, *data)
    report = learning_curves.make_run_page(
        [*results, *(result for other in linked for result in other.results)],
        drawn,
        task=task.title,
        metric=task.score_label,
        kind=kind,
        rates=rates,
        bill_test=bill_test,
        findings=advice,
        facts={**written["facts"], **{title: facts for other in linked for title, facts in other.facts.items()}},
        commands=written["commands"],
        further=further if encoder == EMBEDDED else (),
        more=sections,
    )
    page.write(report, folder / "report.html")
    tables.draw(report.figures[learning_curves.FIGURE], folder / "curve.html")
    _print_end(folder, drawn, experiment, [*advice, *(line for section in sections for line in section.lines)], screen)


def _print_end(
    folder: Path, curves: Sequence[Curve], experiment: Experiment, advice: Sequence[str], screen: Console
) -> None:
    from fewshot.curves.results import RESULTS
    from fewshot.experiments.run import MODEL_FOLDER
    from fewshot.reports import learning_curves, tables

    task = experiment.trainer.task
    screen.print(tables.terminal_table(curves, task.score_label))
    headline = learning_curves.headline(curves, experiment.trainer.lang, task.example.kind, task.score_label)
    files = [f"  {folder / name}" for name in ("report.html", RESULTS, MODEL_FOLDER)]
    for line in (headline, *learning_curves.caveats(curves), *files, *advice):
        screen.print(line, soft_wrap=True)
