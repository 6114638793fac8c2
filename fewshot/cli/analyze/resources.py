"""``fewshot analyze resources``: is an encoder worth it in languages that it has seen little of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.analyze.base import Folder, Say, carry_out, warning
from fewshot.cli.base import GOES_ON, DataFolders, Device, Jobs, ModelName, analyze_app, command

if TYPE_CHECKING:
    from fewshot.progress import Report
    from fewshot.reports.page import Page


@command(analyze_app, stopped=GOES_ON)
def resources(  # noqa: PLR0913
    data: DataFolders,
    task: Annotated[str, typer.Option(help="ner, pos, or both.")] = "ner",
    langs: Annotated[str, typer.Option(help="Languages.", show_default="all that there is data of")] = "",
    k: Annotated[str, typer.Option(help="Training sentences of each language.")] = "50,500",
    model: ModelName = "mini",
    seeds: Annotated[int, typer.Option(help="Draws of the sentences, each with its own training.")] = 3,
    updates: Annotated[int, typer.Option(help="Optimizer steps of every training.")] = 500,
    tested: Annotated[int, typer.Option("--test", help="Test sentences at most.")] = 1000,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/resources"),
) -> None:
    """See whether low-resource languages gain from an encoder (Wu & Dredze 2020)."""
    from fewshot.encoders.load import load_encoder
    from fewshot.experiments.data_folders import Folders
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list, parse_numbers
    from fewshot.papers.resources.page import page
    from fewshot.papers.resources.study import Study, langs_with_wikisize, measure
    from fewshot.papers.statistics.linear import least_squares

    least_squares()  # missing, it is said before hours of training
    ks, codes = parse_numbers("--k", k, "number of sentences", "50,500"), langs_with_wikisize(parse_list(langs))
    place, encoder = this_machine(device, jobs), load_encoder(model)
    study = Study(encoder, parse_list(task), codes, ks, seeds, updates, tested, place)

    def analyse(report: Report, say: Say) -> Page:
        return page(measure(study, Folders(data, codes, warning(say)), out, report, warning(say)))

    carry_out(analyse, out)
