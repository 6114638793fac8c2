"""``fewshot run``: the walk from a pool to a learning curve and its bill."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fewshot.commands.data import downloading
from fewshot.corpora.files import write_text
from fewshot.corpora.load import Corpus, load, locate
from fewshot.costs import rates as prices
from fewshot.curves.points import Curve, curves
from fewshot.curves.results import RESULTS, Result
from fewshot.encoders.load import EMBEDDED
from fewshot.errors import FewshotError
from fewshot.experiments.plan import Plan, parse_ks, parse_list
from fewshot.experiments.run import MODEL, Event, execute
from fewshot.experiments.setup import Setup, check_plan, default_folder, prepare_plan
from fewshot.reports import report as reports
from fewshot.reports import terminal
from fewshot.training import adapt
from fewshot.training.recipe import Recipe

PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot run --help``."""

    lang: str
    k: str
    task: str
    sampler: str
    seeds: int | None
    shot_sets: int | None
    model: str
    data: str
    method: str
    regime: str
    updates: int | None
    source: Path | None
    source_data: Path | None
    min_tokens: int
    max_tokens: int
    rates: Path | None
    bill_test: bool
    device: str
    out: Path | None
    command: str


def run(request: Request, console: Console) -> None:
    """Carry out a plan and write its report."""
    rates = prices.load(request.rates)
    with downloading(console) as progress:
        place = locate(request.lang, request.data, progress)
    corpus = load(request.lang, place, request.min_tokens, request.max_tokens)
    device = adapt.device(request.device)
    plan = make_plan(request, device)
    check_plan(plan, corpus)
    setup = prepare_plan(plan, corpus, request.model, device, request.source, request.source_data)
    folder = request.out or default_folder(setup)
    facts = facts_of(setup)
    check_folder(folder, setup)
    _print_header(facts, folder, console)
    write_text(folder / PLAN, json.dumps(plan_card(setup, facts), indent=2, ensure_ascii=False) + "\n")
    with _progress(console) as move:
        results = execute(setup, folder, rates, move)
    found = curves(results, rates, request.bill_test)
    write_report(folder, setup, results, found, rates, request, facts)
    _print_end(folder, found, setup, console)


def make_plan(request: Request, device: torch.device) -> Plan:
    """Turn the options into a plan; the number of runs follows the device where it is left open."""
    return Plan(
        task=request.task,
        lang=request.lang,
        ks=parse_ks(request.k),
        samplers=tuple(parse_list(request.sampler)),
        shot_sets=request.shot_sets if request.shot_sets is not None else 3,
        seeds=request.seeds if request.seeds is not None else 2 if device.type == "cpu" else 3,
        recipe=Recipe(method=request.method, regime=request.regime, updates=request.updates),
    )


def check_folder(folder: Path, setup: Setup) -> None:
    """Refuse a folder that holds the runs of another plan.

    Raises:
        FewshotError: when language, task, models, data or recipe differ from those of the folder.
    """
    try:
        before = json.loads((folder / PLAN).read_text(encoding="utf-8"))["identity"]
    except (OSError, ValueError, KeyError):
        return
    changed = [name for name, value in setup.identity.items() if json.dumps(before.get(name)) != json.dumps(value)]
    if changed:
        raise FewshotError(f"{folder}: holds runs of another {' and '.join(changed)}; give another --out")


def plan_card(setup: Setup, facts: dict[str, dict[str, str]]) -> dict[str, object]:
    """Return what ``plan.json`` holds: the plan, its identity, and the facts that the report shows."""
    return {"plan": asdict(setup.plan), "identity": setup.identity, "facts": facts}


def facts_of(setup: Setup) -> dict[str, dict[str, str]]:
    """Return what was run, on what, with what, for screen and report."""
    plan, corpus, recipe = setup.plan, setup.corpus, setup.plan.recipe
    resolved = {k: adapt.settings(setup.source, recipe, k) for k in plan.ks if k}
    return {
        "Data": {
            "source": corpus.source,
            "pool": _pool_line(corpus),
            "test set": f"{len(corpus.test)} sentences",
        },
        "Model": {
            "encoder": f"{setup.source.encoder.name} ({setup.source.encoder.fingerprint})",
            "English source model": setup.source_name,
            "English data mixed in": setup.source_data_name,
        },
        "Plan": {
            "task": f"{setup.task.title}, {setup.task.metric}",
            "language": plan.lang,
            "k": ", ".join(str(k) for k in plan.ks),
            "samplers": ", ".join(plan.samplers),
            "shot sets x seeds": f"{plan.shot_sets} x {plan.seeds}",
            "method, regime": f"{recipe.method}, {recipe.regime}",
            "updates": ", ".join(f"{s.updates} (k={k})" for k, s in resolved.items()) or "none",
            "learning rates": ", ".join(sorted({f"{s.encoder_lr:g}" for s in resolved.values()})) + " encoder, "
            f"{recipe.head_lr:g} head",
        },
        "Machine": {
            "device": setup.device.type,
            "versions": ", ".join(f"{name} {version(name)}" for name in ("fewshot", "torch", "transformers")),
            "python": platform.python_version(),
            "date": datetime.now().astimezone().date().isoformat(),
        },
    }


def _pool_line(corpus: Corpus) -> str:
    count = corpus.count
    left_out = f"{count.wrong_length} of other lengths, {count.in_test} in the test set, {count.repeated} repeated"
    return f"{count.kept} sentences (left out: {left_out})"


def _print_header(facts: dict[str, dict[str, str]], folder: Path, console: Console) -> None:
    for title in ("Data", "Model"):
        line = "; ".join(f"{name} {value}" for name, value in facts[title].items())
        console.print(f"[bold]{title}[/]  {line}", soft_wrap=True, highlight=False)
    if facts["Model"]["encoder"].startswith(EMBEDDED) or facts["Data"]["source"].startswith("embedded"):
        hint = "for real work: --model xlm-roberta-base --data ud (both are downloaded once)"
        console.print(f"      [dim]{hint}[/]", soft_wrap=True, highlight=False)
    console.print(f"[bold]Out[/]   {folder}", soft_wrap=True, highlight=False)


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


def write_report(
    folder: Path,
    setup: Setup,
    results: Sequence[Result],
    found: Sequence[Curve],
    rates: prices.Rates,
    request: Request,
    facts: dict[str, dict[str, str]],
) -> None:
    """Write ``report.html`` and ``curve.html``."""
    task, lang = setup.task, setup.plan.lang
    label = task.score_label
    first = [result for result in results if result.seed == 0 and result.k == max(setup.plan.ks)]
    report = reports.Report(
        title=f"{lang}: {task.title}, k = {', '.join(str(k) for k in setup.plan.ks)}",
        headline=reports.headline(found, lang, task.title, label),
        curves=found,
        metric_label=label,
        facts=facts,
        shots={f"{result.sampler}, shot set {result.shot_set}": result.shots for result in first if result.k},
        rate_sources=rate_sources(rates, task.name, setup.device.type),
        command=request.command,
        notes=[test_note(results[0], request.bill_test)],
        further=further(setup) if setup.source.encoder.name == EMBEDDED else (),
    )
    reports.write(report, folder / "report.html")
    reports.write_curve(found, folder / "curve.html", label)


def further(setup: Setup) -> list[str]:
    """Return the commands of the same experiment with XLM-R."""
    plan, model = setup.plan, "--model xlm-roberta-base"
    ks, names = ",".join(str(k) for k in plan.ks), ",".join(plan.samplers)
    return [
        f"fewshot source --task {plan.task} {model} --data ENGLISH_DATA",
        f"fewshot run --task {plan.task} --lang {plan.lang} --k {ks} --sampler {names} {model} --data DATA",
    ]


def rate_sources(rates: prices.Rates, task: str, device: str) -> list[str]:
    """Return a line for each price that a bill is made of."""
    annotation, compute = rates.annotation[task], rates.compute[device]
    return [
        f"annotation: ${annotation.dollars:g} a {annotation.unit}. {annotation.source}",
        f"computing on {device}: ${compute.dollars_per_hour:.2f} an hour. {compute.source}",
    ]


def test_note(result: Result, bill_test: bool) -> str:
    """Return whether the test set's labels are in the bill."""
    if bill_test:
        return f"Every bill counts the labels of the test set ({result.test_units} units) as well."
    return "The labels of the test set are not in the bill; count them with --bill-test if you have to make them."


def _print_end(folder: Path, found: Sequence[Curve], setup: Setup, console: Console) -> None:
    label = setup.task.score_label
    console.print(terminal.table(found, label))
    console.print(reports.headline(found, setup.plan.lang, setup.task.title, label), soft_wrap=True, highlight=False)
    for name in ("report.html", RESULTS, MODEL):
        console.print(f"  {folder / name}", soft_wrap=True, highlight=False)
