"""``fewshot run``: the walk from a pool to a learning curve and its bill."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from fewshot import tasks
from fewshot.commands.data import downloading
from fewshot.corpora.load import load, locate
from fewshot.costs import prices
from fewshot.curves.points import Curve, curves
from fewshot.curves.results import RESULTS, Result, read
from fewshot.encoders.load import EMBEDDED
from fewshot.experiments import manifest
from fewshot.experiments.plan import Plan, named_samplers, parse_ks, parse_list
from fewshot.experiments.run import MODEL, Event, execute
from fewshot.experiments.setup import Setup, check_plan, default_folder, prepare_plan, read_pool
from fewshot.reports import findings, learning_curves, page, terminal
from fewshot.training import adapt
from fewshot.training.recipe import Recipe


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
    device = adapt.device(request.device)
    plan = make_plan(request, device)
    check_plan(plan, corpus)
    setup = prepare_plan(plan, corpus, request.model, device, request.source, request.source_data)
    folder = request.out or default_folder(setup)
    with console.status(f"the source model reads {len(corpus.pool)} {kind}"):
        read_pool(setup, plan.samplers)
    _print_header(setup, folder, console)
    with _progress(console) as move:
        execute(setup, folder, rates, move, request.command)
    results = read(folder / RESULTS)
    found = curves(results, rates, request.bill_test)
    advice = findings.advice(found, kind, request.threshold)
    _write_report(folder, setup, results, found, request, advice)
    _print_end(folder, found, setup, advice, console)


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
        recipe=Recipe(
            method=request.method,
            regime=request.regime,
            updates=request.updates,
            swaps=request.swaps,
            balanced=request.balanced,
        ),
        rounds=request.rounds,
    )


def _print_header(setup: Setup, folder: Path, console: Console) -> None:
    facts = manifest.facts(setup, setup.plan)
    lines = {title: "; ".join(f"{name} {value}" for name, value in facts[title].items()) for title in ("Data", "Model")}
    for title, line in {**lines, "Out": str(folder)}.items():
        console.print(Text.assemble((f"{title:6}", "bold"), line), soft_wrap=True)
        if title == "Model" and (setup.source.encoder.name == EMBEDDED or setup.corpus.source.startswith("embedded")):
            hint = f"for real work: --model xlm-roberta-base --data {tasks.real_data(setup.task)}"
            console.print(f"{'':6}{hint}", style="dim", soft_wrap=True)


@contextmanager
def _progress(console: Console) -> Iterator[Callable[[Event], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        row = bars.add_task("loading", total=None)

        def move(event: Event) -> None:
            condition = event.condition
            name = f"{condition.sampler} k={condition.k} set {condition.shot_set} seed {condition.seed}"
            text = name if condition.k else "zero-shot"
            bars.update(row, description=text, completed=event.work, total=event.total)

        yield move


def _write_report(
    folder: Path, setup: Setup, results: Sequence[Result], found: Sequence[Curve], request: Request, advice: list[str]
) -> None:
    """Write ``report.html`` and ``curve.html``."""
    task, plan, written = setup.task, setup.plan, manifest.read(folder)
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
        further=further if setup.source.encoder.name == EMBEDDED else (),
    )
    page.write(report, folder / "report.html")
    learning_curves.write_curve(report, folder / "curve.html")


def _print_end(folder: Path, found: Sequence[Curve], setup: Setup, advice: Sequence[str], console: Console) -> None:
    label, kind = setup.task.score_label, setup.task.example.kind
    console.print(terminal.table(found, label))
    headline = learning_curves.headline(found, setup.plan.lang, kind, label)
    for line in (headline, *learning_curves.doubts(found)):
        console.print(line, soft_wrap=True)
    for name in ("report.html", RESULTS, MODEL):
        console.print(f"  {folder / name}", soft_wrap=True)
    for line in advice:
        console.print(line, soft_wrap=True, markup=False)
