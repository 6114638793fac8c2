"""``fewshot compare``: several runs in one report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from fewshot import tasks
from fewshot.commands.run import PLAN, rate_sources, test_note
from fewshot.costs import rates as prices
from fewshot.curves.points import Curve, curves
from fewshot.curves.results import RESULTS, Result, read
from fewshot.errors import FewshotError
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
    prefixes = _prefixes([results[0] for results, _ in loaded.values()], [folder.name for folder in loaded])
    found: list[Curve] = []
    facts: dict[str, dict[str, str]] = {}
    for prefix, (folder, (results, card)) in zip(prefixes, loaded.items(), strict=True):
        found += curves(results, rates, bill_test, prefix)
        facts[f"{prefix} ({folder})"] = {name: value for part in card["facts"].values() for name, value in part.items()}
    first = next(iter(loaded.values()))[0][0]
    report = reports.Report(
        title=f"{task.title}: {', '.join(prefixes)}",
        headline=f"{len(found)} learning curves of {len(loaded)} runs",
        curves=found,
        metric_label=label,
        facts=facts,
        shots={},
        rate_sources=rate_sources(rates, task.name, first.device),
        command=command,
        notes=[test_note(first, bill_test)],
    )
    reports.write(report, out / "report.html")
    reports.write_curve(found, out / "curve.html", label)
    console.print(terminal.table(found, label))
    console.print(f"  {out / 'report.html'}", soft_wrap=True, highlight=False)


def _load(folder: Path) -> tuple[list[Result], dict[str, Any]]:
    results = read(folder / RESULTS)
    try:
        card = json.loads((folder / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        card = None
    if not results or not card:
        raise FewshotError(f"{folder}: no run here ({RESULTS} and {PLAN}); give folders that fewshot run has written")
    return results, card


def _prefixes(firsts: Sequence[Result], folders: Sequence[str]) -> list[str]:
    """Name runs by what sets them apart: language, encoder, method, regime, data, else the folder."""
    traits = [(r.lang, Path(r.model).name, r.method, r.regime, Path(r.data).name) for r in firsts]
    names = [""] * len(traits)
    for column in zip(*traits, strict=True):
        if len(set(names)) < len(names) and len(set(column)) > 1:
            names = [f"{name} {trait}".strip() for name, trait in zip(names, column, strict=True)]
    return names if len(set(names)) == len(names) else list(folders)
