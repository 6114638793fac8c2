"""``fewshot compare``: several runs in one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fewshot import tasks
from fewshot.costs import prices
from fewshot.curves.plots import figure
from fewshot.curves.points import Curve, curves
from fewshot.curves.results import RESULTS, Result, read_results
from fewshot.errors import FewshotError
from fewshot.experiments import plan_file
from fewshot.reports import findings, learning_curves, page, tables, terminal


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
    names = {results[0].task for results, *_ in loaded.values()}
    if len(names) > 1:
        raise FewshotError(f"runs of different tasks ({', '.join(sorted(names))}) have no common score")
    task = tasks.get(names.pop())
    label, kind = task.score_label, task.example.kind
    prefixes = _prefixes([results[0] for results, *_ in loaded.values()], list(loaded))
    found: list[Curve] = []
    by_test: dict[tuple[str, str], list[Curve]] = {}
    facts: dict[str, dict[str, str]] = {}
    for prefix, (folder, (results, parts, test)) in zip(prefixes, loaded.items(), strict=True):
        made = curves(results, rates, request.bill_test, prefix)
        found += made
        by_test.setdefault((results[0].lang, test), []).extend(made)
        facts[f"{prefix} ({folder})".strip()] = {name: value for part in parts.values() for name, value in part.items()}
    groups = _named(by_test)
    everything = [result for results, *_ in loaded.values() for result in results]
    lines = findings.compared(found, groups, kind, request.target)
    report = learning_curves.page(
        found,
        title=f"{task.title}: {', '.join(prefixes) or everything[0].lang}",
        headline=f"{len(found)} learning curves of {len(loaded)} runs",
        metric=label,
        kind=kind,
        findings=lines,
        notes=[learning_curves.test_note(rates, everything, request.bill_test), *learning_curves.doubts(found)],
        facts=facts,
        prices=learning_curves.rate_sources(rates, everything),
        one_scale=len(groups) == 1,
        commands=[request.command],
    )
    page.write(report, request.out / "report.html")
    learning_curves.write_curve(report, request.out / "curve.html")
    console.print(terminal.table(found, label))
    said = *lines, *learning_curves.doubts(found)
    for line in (*said, f"  {request.out / 'report.html'}"):
        console.print(line, soft_wrap=True, markup=False)
    _write_files(request, groups, label, kind, console)


def _write_files(
    request: Request, groups: Mapping[str, Sequence[Curve]], label: str, kind: str, console: Console
) -> None:
    found = [curve for group in groups.values() for curve in group]
    for path in request.tables:
        tables.write(groups, path)
        console.print(f"  {path}", soft_wrap=True)
    for path in request.figures:
        tables.draw(figure(found, label, kind, ahead=True, front=len(groups) == 1), path)
        console.print(f"  {path}", soft_wrap=True)


def _load(folder: Path) -> tuple[list[Result], dict[str, dict[str, str]], str]:
    """Return the results of a run, the facts of its plan, and what its test set is known by."""
    results, plan = read_results(folder / RESULTS), plan_file.read(folder)
    facts, identity = plan.get("facts"), plan.get("identity")
    if not results or not isinstance(facts, dict):
        names = f"{RESULTS} and {plan_file.PLAN}"
        raise FewshotError(f"{folder}: no run here ({names}); give folders that fewshot run has written")
    known = str(identity.get("data", "")) if isinstance(identity, dict) else ""
    return results, facts, known.rpartition("-")[2] or results[0].data


def _named(by_test: Mapping[tuple[str, str], list[Curve]]) -> dict[str, list[Curve]]:
    """Name the groups of curves of one test set: by language, and by the first of them where a language has several."""
    langs = Counter(lang for lang, _ in by_test)
    return {
        lang if langs[lang] == 1 else f"{lang}, test set of {made[0].group}": made
        for (lang, _), made in by_test.items()
    }


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
