"""Commands that train and measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.base import (
    GOES_ON,
    Data,
    Device,
    Lang,
    ModelName,
    RatesFile,
    TaskName,
    app,
    command,
    console,
    typed,
)


@command(app, stopped=GOES_ON)
def run(
    lang: Lang,
    k: Annotated[str, typer.Option(help="Sentences to annotate: 10, or 10,50,100. 0 is always run.")] = "10",
    task: TaskName = "pos",
    sampler: Annotated[
        str | None,
        typer.Option(
            help="random, longest, entropy ...; several with commas, or all.", show_default="random; ner: confused"
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Trainings on each draw.", show_default="2 (GPU: 3)")] = None,
    shot_sets: Annotated[int | None, typer.Option(help="Draws of each sampler.", show_default="3")] = None,
    rounds: Annotated[
        bool,
        typer.Option("--rounds", help="Active samplers: after each k, the model of the shots so far chooses the next."),
    ] = False,
    model: ModelName = "mini",
    data: Data = "sample",
    method: Annotated[
        str,
        typer.Option(help="full (by k and encoder), lora, feature-based, freeze-N, freeze-none, or lauscher2020."),
    ] = "full",
    regime: Annotated[
        str | None, typer.Option(help="joint (source and target mixed) or sequential.", show_default="by task")
    ] = None,
    updates: Annotated[int | None, typer.Option(help="Optimizer steps.", show_default="by k and task")] = None,
    swaps: Annotated[
        float | None,
        typer.Option(
            help="Trees: how often subtrees of one are swapped for others before it is read.", show_default="by task"
        ),
    ] = None,
    balanced: Annotated[
        bool | None,
        typer.Option(
            "--balanced/--unbalanced",
            help="Entities: words outside of them weigh at most as much as those inside.",
            show_default="by task, encoder and method",
        ),
    ] = None,
    source: Annotated[Path | None, typer.Option(help="Folder of a source model.")] = None,
    source_data: Annotated[Path | None, typer.Option(help="Source-language data to mix in (joint).")] = None,
    min_tokens: Annotated[int | None, typer.Option(help="Shortest example.", show_default="3 if sentences")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Longest example.", show_default="50 if sentences")] = None,
    rates: RatesFile = None,
    bill_test: Annotated[bool, typer.Option("--bill-test", help="Count the test set's labels in the bill.")] = False,
    threshold: Annotated[float, typer.Option(help="Points that the next batch must bring to be worth it.")] = 1.0,
    device: Device = "auto",
    out: Annotated[Path | None, typer.Option(help="Folder of the run.", show_default="runs/LANG-TASK-HASH")] = None,
) -> None:
    """Show what k labelled sentences of a language buy: score, learning curve, cost of each point."""
    from fewshot.commands import run as job

    job.run(
        job.Request(
            lang=lang,
            k=k,
            task=task,
            sampler=sampler,
            seeds=seeds,
            shot_sets=shot_sets,
            rounds=rounds,
            model=model,
            data=data,
            method=method,
            regime=regime,
            updates=updates,
            swaps=swaps,
            balanced=balanced,
            source=source,
            source_data=source_data,
            min_tokens=min_tokens,
            max_tokens=max_tokens,
            rates=rates,
            bill_test=bill_test,
            threshold=threshold,
            device=device,
            out=out,
            command=typed(),
        ),
        console(),
    )


@command(app, stopped="the report may not be written; repeat the command")
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Folders of finished or half-finished runs.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("comparison"),
    rates: RatesFile = None,
    bill_test: Annotated[bool, typer.Option("--bill-test", help="Count the test set's labels in the bill.")] = False,
    target: Annotated[float | None, typer.Option(help="Score, in percent, to say the price of.")] = None,
    table: Annotated[list[Path] | None, typer.Option(help="File of all points: .csv, .md or .tex; repeatable.")] = None,
    figure: Annotated[list[Path] | None, typer.Option(help=".png, .svg, .pdf or .html; repeatable.")] = None,
) -> None:
    """Put several runs into one report: languages, samplers, encoders, methods."""
    from fewshot.commands import compare as job

    job.compare(job.Request(runs, out, rates, bill_test, target, table or [], figure or [], typed()), console())


@command(app, stopped="no model is kept, and the same command begins again; a search repeats no candidate")
def source(
    data: Annotated[str, typer.Option(help="Annotated English (or --lang): a folder, file, ud or UD_English-EWT.")],
    task: TaskName = "pos",
    model: ModelName = "mini",
    lang: Annotated[str, typer.Option(help="Source language.")] = "en",
    method: Annotated[str, typer.Option(help="full, lora, feature-based, freeze-N, or freeze-none.")] = "full",
    epochs: Annotated[int | None, typer.Option(help="Passes over the training data.", show_default="by task")] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Try 12 learning rates, batches and epochs; keep the best on the dev file.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of head, data order and dropout.")] = 0,
    device: Device = "auto",
    out: Annotated[Path | None, typer.Option(help="Folder of the model.", show_default="the user's cache")] = None,
) -> None:
    """Train the source model of a task, usually English; later runs find it by themselves."""
    from fewshot.commands import source as job

    request = job.Request(data, task, model, lang, method, epochs, search, seed, device, out)
    job.source(request, console())
