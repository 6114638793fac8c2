"""``fewshot run``: the walk from a pool to a learning curve and its bill."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from fewshot import tasks
from fewshot.commands.data import downloading
from fewshot.corpora.load import load, locate
from fewshot.costs import prices
from fewshot.curves.points import Curve, curves
from fewshot.curves.results import RESULTS, Result, read_results
from fewshot.encoders.load import EMBEDDED
from fewshot.experiments import plan_file
from fewshot.experiments.draws import Draws
from fewshot.experiments.experiment import Experiment
from fewshot.experiments.plan import Plan, check_plan, named_samplers, parse_ks, parse_list
from fewshot.experiments.run import MODEL, execute
from fewshot.experiments.trainer import load_trainer
from fewshot.progress import Report
from fewshot.reports import findings, learning_curves, page, terminal
from fewshot.training.adapt import find_device


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot run --help``."""

    lang: str
    k: str
    task: str
    sampler: str | None
    seeds: int | None
    shot_sets: int | None
    rounds: bool
    model: str
    data: str
    method: str
    regime: str | None
    updates: int | None
    swaps: float | None
    balanced: bool | None
    source: Path | None
    source_data: Path | None
    min_tokens: int | None
    max_tokens: int | None
    rates: Path | None
    bill_test: bool
    threshold: float
    device: str
    out: Path | None
    command: str


def run(request: Request, console: Console) -> None:
    """Carry out a plan and write the report of all that its folder holds."""
    rates = prices.load(request.rates)
    task = tasks.get(request.task)
    kind = task.example.kind
    with downloading(console) as progress:
        place = locate(request.lang, request.data, kind, progress, tasks.real_data(task))
    corpus = load(request.lang, place, kind, request.min_tokens, request.max_tokens, task=task)
    device = find_device(request.device)
    plan = make_plan(request, device)
    check_plan(plan, corpus)
    source, mixed = request.source, request.source_data
    trainer = load_trainer(plan.task, plan.lang, request.model, device, plan.method, plan.changes, source, mixed)
    tasks.check_gold(trainer.task, [*corpus.test, *corpus.pool])  # it may know fewer labels than were asked for
    draws = Draws(plan, corpus.pool, trainer)
    experiment = Experiment(trainer, corpus, plan.conditions(), draws)
    folder = request.out or experiment.folder
    with console.status(f"the source model reads {len(corpus.pool)} {kind}"):
        draws.read_pool(plan.samplers)
    _print_header(experiment, folder, console)
    with _progress(console) as move:
        execute(experiment, folder, rates, move, command=request.command)
    results = read_results(folder / RESULTS)
    found = curves(results, rates, request.bill_test)
    advice = findings.advice(found, kind, request.threshold)
    _write_report(folder, experiment, plan, results, found, request, advice)
    _print_end(folder, found, experiment, advice, console)


def make_plan(request: Request, device: torch.device) -> Plan:
    """Turn the options into a plan; the number of runs follows the device where it is left open."""
    task = tasks.get(request.task)
    return Plan(
        task=task.name,
        lang=request.lang,
        ks=parse_ks(request.k),
        samplers=named_samplers(parse_list(task.sampler if request.sampler is None else request.sampler), task),
        shot_sets=request.shot_sets if request.shot_sets is not None else 3,
        seeds=request.seeds if request.seeds is not None else 2 if device.type == "cpu" else 3,
        method=request.method,
        changes=given(regime=request.regime, updates=request.updates, swaps=request.swaps, balanced=request.balanced),
        rounds=request.rounds,
    )


def given(**options: Any) -> dict[str, Any]:
    """Return the options that the user gave."""
    return {name: value for name, value in options.items() if value is not None}


def _print_header(experiment: Experiment, folder: Path, console: Console) -> None:
    facts = plan_file.facts(experiment, experiment.conditions)
    lines = {title: "; ".join(f"{name} {value}" for name, value in facts[title].items()) for title in ("Data", "Model")}
    encoder, task = experiment.trainer.source.encoder, experiment.trainer.task
    for title, line in {**lines, "Out": str(folder)}.items():
        console.print(Text.assemble((f"{title:6}", "bold"), line), soft_wrap=True)
        if title == "Model" and (encoder.name == EMBEDDED or experiment.corpus.source.startswith("embedded")):
            hint = f"for real work: --model xlm-roberta-base --data {tasks.real_data(task)}"
            console.print(f"{'':6}{hint}", style="dim", soft_wrap=True)


@contextmanager
def _progress(console: Console) -> Iterator[Report]:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        row = bars.add_task("loading", total=None)

        yield lambda now: bars.update(row, description=now.doing, completed=now.done, total=now.total)


def _write_report(
    folder: Path,
    experiment: Experiment,
    plan: Plan,
    results: Sequence[Result],
    found: Sequence[Curve],
    request: Request,
    advice: list[str],
) -> None:
    """Write ``report.html`` and ``curve.html``."""
    task, written = experiment.trainer.task, plan_file.read(folder)
    data = tasks.real_data(task)
    further = learning_curves.further_commands(plan.task, plan.lang, plan.ks, plan.samplers, plan.rounds, data)
    report = learning_curves.of_run(
        results,
        found,
        task=task.title,
        metric=task.score_label,
        kind=task.example.kind,
        rates=prices.load(request.rates),
        bill_test=request.bill_test,
        findings=advice,
        facts=written["facts"],
        commands=written["commands"],
        further=further if experiment.trainer.source.encoder.name == EMBEDDED else (),
    )
    page.write(report, folder / "report.html")
    learning_curves.write_curve(report, folder / "curve.html")


def _print_end(
    folder: Path, found: Sequence[Curve], experiment: Experiment, advice: Sequence[str], console: Console
) -> None:
    task, lang = experiment.trainer.task, experiment.trainer.lang
    label, kind = task.score_label, task.example.kind
    console.print(terminal.table(found, label))
    headline = learning_curves.headline(found, lang, kind, label)
    for line in (headline, *learning_curves.doubts(found)):
        console.print(line, soft_wrap=True)
    for name in ("report.html", RESULTS, MODEL):
        console.print(f"  {folder / name}", soft_wrap=True)
    for line in advice:
        console.print(line, soft_wrap=True, markup=False)
