"""``fewshot analyze few-shot-grid``: many runs as one plan, and the paper's tables of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.analyze.base import SampleLangs, SampleOrFolders, Say, carry_out, warning
from fewshot.cli.base import (
    GOES_ON,
    ModelName,
    RatesFile,
    analyze_app,
    command,
    given,
    typed,
)
from fewshot.options import Where

if TYPE_CHECKING:
    from fewshot.progress import Report
    from fewshot.reports.page import Page

POINTS = "points.csv"
"""Every point of every language and sampler, for further use."""


@command(analyze_app, "few-shot-grid", stopped=GOES_ON)
def few_shot_grid(  # noqa: PLR0913
    task: Annotated[str, typer.Option(help="Tasks.")] = "pos,dep,ner",
    langs: SampleLangs = "",
    sampler: Annotated[str, typer.Option(help="Samplers, or all.")] = "random,shortest,longest",
    k: Annotated[str, typer.Option(help="Examples to annotate; 10,50,100,500,1000 in the paper.")] = "10,40",
    articles: Annotated[str, typer.Option(help="The same where examples are articles (qa).")] = "2,4",
    shot_sets: Annotated[int, typer.Option(help="Draws of each sampler.")] = 3,
    seeds: Annotated[int, typer.Option(help="Trainings on each draw.")] = 1,
    rounds: Annotated[
        bool, typer.Option("--rounds", help="Active samplers draw in rounds, as in fewshot run.")
    ] = False,
    data: SampleOrFolders = None,
    model: ModelName = "mini",
    method: Annotated[
        str, typer.Option(help="full, lora, feature-based, freeze-N, freeze-none, or lauscher2020.")
    ] = "full",
    regime: Annotated[str | None, typer.Option(help="joint or sequential.", show_default="by task")] = None,
    updates: Annotated[int | None, typer.Option(help="Optimizer steps.", show_default="by k and task")] = None,
    rates: RatesFile = None,
    out: Annotated[Path, typer.Option(help="Folder of report and runs; with runs, those of fewshot run count.")] = Path(
        "runs/few-shot-grid"
    ),
    *,
    where: Where,
) -> None:
    """Find which sentences to annotate, by task, language and number (Lauscher et al. 2020)."""
    from fewshot import tasks
    from fewshot.costs import prices
    from fewshot.encoders.load import load_encoder
    from fewshot.experiments.data_folders import data_or_sample, langs_of_sample
    from fewshot.experiments.executors.place import find_place
    from fewshot.experiments.plan import parse_ks, parse_list
    from fewshot.papers.few_shot_grid.findings import by_language
    from fewshot.papers.few_shot_grid.page import page
    from fewshot.papers.few_shot_grid.study import GridPlan, execute, parts
    from fewshot.reports import tables
    from fewshot.transfer.scoring import source_language

    paid = prices.load(rates)
    names = [tasks.get(name).name for name in parse_list(task)]
    encoder = load_encoder(model)
    start = source_language(names, encoder)
    plan = GridPlan(
        tasks=tuple(names),
        langs=tuple(parse_list(langs) or [lang for lang in langs_of_sample(names) if lang != start]),
        samplers=tuple(parse_list(sampler)),
        ks=parse_ks(k),
        articles=parse_ks(articles),
        shot_sets=shot_sets,
        seeds=seeds,
        method=method,
        changes=given(regime=regime, updates=updates),
        rounds=rounds,
    )

    def analyse(report: Report, say: Say) -> Page:
        found = parts(plan, data_or_sample(data, names), encoder, warning(say))
        for part in found:
            say(f"{part.plan.task} {part.plan.lang}: {part.data}, {len(part.plan.conditions())} runs")
        results = execute(found, model, place, out, paid, report, typed())
        tables.write(by_language(results, paid), out / POINTS)
        return page(results, paid)

    with find_place(where) as place:
        carry_out(analyse, out, [POINTS])
