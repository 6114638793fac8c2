"""``fewshot analyze alignment``: how alike translations are in an encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.analyze.base import LANGS, Folder, SourceTasks, TargetLangs, carry_out, warning
from fewshot.cli.base import GOES_ON, DataFolders, Device, Jobs, ModelName, analyze_app, command


@command(analyze_app, stopped=GOES_ON)
def alignment(  # noqa: PLR0913
    data: DataFolders,
    task: SourceTasks = "pos,dep,ner",
    parallel: Annotated[
        str, typer.Option(help="Task whose data are translations: pos (PUD) or topic (SIB-200).")
    ] = "pos",
    langs: TargetLangs = LANGS,
    model: ModelName = "mini",
    sentences: Annotated[int, typer.Option(help="Translations of a language, at most.")] = 1000,
    seeds: Annotated[int, typer.Option(help="Untrained encoders to compare with.")] = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/alignment"),
) -> None:
    """Find how alike translations are in each layer, and whether transfer follows (Muller et al. 2021, section 4)."""
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list
    from fewshot.papers.alignment.study import analyse

    place = this_machine(device, jobs)
    carry_out(
        lambda report, say: analyse(
            names=parse_list(task),
            parallel=parallel,
            langs=parse_list(langs),
            model=model,
            data=data,
            sentences=sentences,
            seeds=seeds,
            place=place,
            folder=out,
            report=report,
            warn=warning(say),
        ),
        out,
    )
