"""``fewshot compare``: several runs in one report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fewshot import tasks
from fewshot.commands.run import rate_sources, test_note
from fewshot.costs import rates as prices
from fewshot.curves.plots import figure
from fewshot.curves.points import Curve, curves
from fewshot.curves.results import RESULTS, Result, read
from fewshot.errors import FewshotError
from fewshot.experiments import card
from fewshot.reports import findings, tables, terminal
from fewshot.reports import report as reports


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot compare --help``."""

    runs: Sequence[Path]
    out: Path
    rates: Path | None
    bill_test: bool
    target: float | None
    tables: Sequence[Path]
    figures: Sequence[Path]
    command: str


def compare(request: Request, console: Console) -> None:
    """Write ``report.html`` and ``curve.html`` of several runs, and what else is asked for, and print their table.

    Raises:
        FewshotError: when a folder holds no run, the runs are of different tasks, or a file cannot be written so.
    """
    for paths, endings in ((request.tables, tables.TABLES), (request.figures, tables.PICTURES)):
        for path in paths:
            tables.check(path, endings)
    rates = prices.load(request.rates)
    loaded = {folder: _load(folder) for folder in dict.fromkeys(request.runs)}
    names = {results[0].task for results, _ in loaded.values()}
    if len(names) > 1:
        raise FewshotError(f"runs of different tasks ({', '.join(sorted(names))}) have no common score")
    task = tasks.get(names.pop())
    label, kind = task.score_label, task.example.kind
    prefixes = _prefixes([results[0] for results, _ in loaded.values()], list(loaded))
    found: list[Curve] = []
    langs: dict[str, list[Curve]] = {}
    facts: dict[str, dict[str, str]] = {}
    for prefix, (folder, (results, parts)) in zip(prefixes, loaded.items(), strict=True):
        made = curves(results, rates, request.bill_test, prefix)
        found += made
        langs.setdefault(results[0].lang, []).extend(made)
        facts[f"{prefix} ({folder})".strip()] = {name: value for part in parts.values() for name, value in part.items()}
    everything = [result for results, _ in loaded.values() for result in results]
    lines = findings.compared(found, langs, kind, request.target)
    report = reports.Report(
        title=f"{task.title}: {', '.join(prefixes) or everything[0].lang}",
        headline=f"{len(found)} learning curves of {len(loaded)} runs",
        curves=found,
        metric_label=label,
        kind=kind,
        facts=facts,
        shots={},
        rate_sources=rate_sources(rates, everything),
        commands=[request.command],
        notes=[test_note(rates, everything, request.bill_test), *reports.one_draw(found), *reports.in_rounds(found)],
        findings=lines,
        one_scale=len(langs) == 1,
    )
    reports.write(report, request.out / "report.html")
    reports.write_curve(report, request.out / "curve.html")
    console.print(terminal.table(found, label))
    said = *lines, *reports.one_draw(found), *reports.in_rounds(found)
    for line in (*said, f"  {request.out / 'report.html'}"):
        console.print(line, soft_wrap=True, markup=False)
    _write_files(request, list(langs.values()), found, label, kind, console)


def _write_files(
    request: Request, langs: Sequence[Sequence[Curve]], found: Sequence[Curve], label: str, kind: str, console: Console
) -> None:
    for path in request.tables:
        tables.write(langs, path)
        console.print(f"  {path}", soft_wrap=True)
    for path in request.figures:
        tables.draw(figure(found, label, kind, ahead=True, front=len(langs) == 1), path)
        console.print(f"  {path}", soft_wrap=True)


def _load(folder: Path) -> tuple[list[Result], dict[str, dict[str, str]]]:
    """Return the results of a run and the facts of its plan."""
    results, facts = read(folder / RESULTS), card.read(folder).get("facts")
    if not results or not isinstance(facts, dict):
        names = f"{RESULTS} and {card.PLAN}"
        raise FewshotError(f"{folder}: no run here ({names}); give folders that fewshot run has written")
    return results, facts


def _prefixes(firsts: Sequence[Result], folders: Sequence[Path]) -> list[str]:
    """Name runs by what sets them apart: language, encoder, method, regime, data, else the folder."""
    traits = [(r.lang, Path(r.model).name, r.method, r.regime, Path(r.data).name) for r in firsts]
    names = [""] * len(traits)
    for column in zip(*traits, strict=True):
        if len(set(names)) < len(names) and len(set(column)) > 1:
            names = [f"{name} {trait}".strip() for name, trait in zip(names, column, strict=True)]
    by_folder = [folder.name for folder in folders]
    for choice in (names, by_folder):
        if len(set(choice)) == len(choice):
            return choice
    return [str(folder) for folder in folders]
