"""``fewshot compare``: several runs in one report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from fewshot import tasks
from fewshot.commands.run import rate_sources, test_note
from fewshot.costs import rates as prices
from fewshot.curves.points import Curve, curves
from fewshot.curves.results import RESULTS, Result, read
from fewshot.errors import FewshotError
from fewshot.experiments import card
from fewshot.reports import report as reports
from fewshot.reports import terminal


def compare(
    runs: Sequence[Path], out: Path, rates_file: Path | None, bill_test: bool, command: str, console: Console
) -> None:
    """Write ``report.html`` and ``curve.html`` of several runs and print their table.

    Raises:
        FewshotError: when a folder holds no run, or the runs are of different tasks.
    """
    rates = prices.load(rates_file)
    loaded = {folder: _load(folder) for folder in dict.fromkeys(runs)}
    names = {results[0].task for results, _ in loaded.values()}
    if len(names) > 1:
        raise FewshotError(f"runs of different tasks ({', '.join(sorted(names))}) have no common score")
    task = tasks.get(names.pop())
    label = task.score_label
    prefixes = _prefixes([results[0] for results, _ in loaded.values()], list(loaded))
    found: list[Curve] = []
    facts: dict[str, dict[str, str]] = {}
    for prefix, (folder, (results, parts)) in zip(prefixes, loaded.items(), strict=True):
        found += curves(results, rates, bill_test, prefix)
        facts[f"{prefix} ({folder})".strip()] = {name: value for part in parts.values() for name, value in part.items()}
    everything = [result for results, _ in loaded.values() for result in results]
    report = reports.Report(
        title=f"{task.title}: {', '.join(prefixes) or everything[0].lang}",
        headline=f"{len(found)} learning curves of {len(loaded)} runs",
        curves=found,
        metric_label=label,
        kind=task.example.kind,
        facts=facts,
        shots={},
        rate_sources=rate_sources(rates, everything),
        commands=[command],
        notes=[test_note(rates, everything, bill_test), *reports.one_draw(found)],
    )
    reports.write(report, out / "report.html")
    reports.write_curve(found, out / "curve.html", label, task.example.kind)
    console.print(terminal.table(found, label))
    for line in (*reports.one_draw(found), f"  {out / 'report.html'}"):
        console.print(line, soft_wrap=True)


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
