"""``fewshot analyze few-shot-grid``: many runs as one plan, and the paper's tables of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fewshot import tasks
from fewshot.commands.analyze import analyze, warning
from fewshot.commands.run import given
from fewshot.commands.zero_shot import places
from fewshot.costs import prices
from fewshot.encoders.load import load_encoder
from fewshot.experiments.plan import parse_ks, parse_list
from fewshot.papers.few_shot_grid.findings import by_language
from fewshot.papers.few_shot_grid.page import page
from fewshot.papers.few_shot_grid.study import Grid, execute, parts
from fewshot.papers.zero_shot.study import source_language
from fewshot.reports import tables
from fewshot.reports.page import Page
from fewshot.training.adapt import find_device

POINTS = "points.csv"
"""Every point of every language and sampler, for further use."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot analyze few-shot-grid --help``."""

    task: str
    langs: str
    sampler: str
    k: str
    articles: str
    shot_sets: int
    seeds: int
    rounds: bool
    data: Sequence[Path]
    model: str
    method: str
    regime: str | None
    updates: int | None
    rates: Path | None
    device: str
    out: Path
    command: str


def few_shot_grid(request: Request, console: Console) -> None:
    """Carry a grid out, and write its report and its points."""
    rates = prices.load(request.rates)
    names = [tasks.get(name).name for name in parse_list(request.task)]
    data, known = places(request.data, names)
    device, encoder = find_device(request.device), load_encoder(request.model)
    start = source_language(names, encoder)
    grid = Grid(
        tasks=tuple(names),
        langs=tuple(parse_list(request.langs) or [lang for lang in known if lang != start]),
        samplers=tuple(parse_list(request.sampler)),
        ks=parse_ks(request.k),
        articles=parse_ks(request.articles),
        shot_sets=request.shot_sets,
        seeds=request.seeds,
        method=request.method,
        changes=given(regime=request.regime, updates=request.updates),
        rounds=request.rounds,
    )

    def carry_out(move: Callable[[str], None], say: Callable[[str], None]) -> Page:
        found = parts(grid, data, encoder, warning(say))
        for part in found:
            say(f"{part.plan.task} {part.plan.lang}: {part.data}, {len(part.plan.conditions())} runs")
        results = execute(found, request.model, device, request.out, rates, move, request.command)
        tables.write(by_language(results, rates), request.out / POINTS)
        return page(results, rates)

    analyze(carry_out, request.out, request.command, console, [POINTS])
