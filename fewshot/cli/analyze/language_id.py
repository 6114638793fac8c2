"""``fewshot analyze language-id``: what languages an encoder tells apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.analyze.base import Folder, carry_out
from fewshot.cli.base import GOES_ON, Device, Jobs, ModelName, analyze_app, command


@command(analyze_app, stopped=GOES_ON)
def language_id(
    corpus: Annotated[Path, typer.Option(help="Folder with mono/LANG.txt.xz and parallel/*.tsv.xz.")],
    langs: Annotated[str, typer.Option(help="Languages to tell apart.", show_default="all of the corpus")] = "",
    model: ModelName = "mini",
    sentences: Annotated[int, typer.Option(help="Of each language to train on; as many are tested.")] = 500,
    seeds: Annotated[int, typer.Option(help="Draws of sentences.")] = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/language-id"),
) -> None:
    """Find how well each layer tells languages apart (Wu & Dredze 2019, section 5.3)."""
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list
    from fewshot.papers.language_id import analyse

    place = this_machine(device, jobs)
    carry_out(
        lambda report, _: analyse(
            corpus=corpus,
            langs=parse_list(langs),
            model=model,
            sentences=sentences,
            seeds=seeds,
            place=place,
            folder=out,
            report=report,
        ),
        out,
    )
