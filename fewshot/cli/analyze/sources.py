"""``fewshot analyze sources``: how well the languages to learn from are ranked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.analyze.base import Folder, Say, Sentences, TestSentences, Updates, carry_out, warning
from fewshot.cli.base import GOES_ON, DataFolders, Device, Jobs, ModelName, TaskName, analyze_app, command

if TYPE_CHECKING:
    from fewshot.progress import Report
    from fewshot.reports.page import Page


@command(analyze_app, stopped=GOES_ON)
def sources(  # noqa: PLR0913
    data: DataFolders,
    task: TaskName = "pos",
    source: Annotated[str, typer.Option(help="Languages to train on.", show_default="all that have data")] = "",
    langs: Annotated[str, typer.Option(help="Languages to score.", show_default="all that have test files")] = "",
    model: ModelName = "mini",
    sentences: Sentences = 500,
    test_sentences: TestSentences = 200,
    updates: Updates = 150,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/sources"),
) -> None:
    """Find how well `fewshot sources` ranks: a model of each language, scored on the others (Ebrahimi et al. 2025)."""
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list
    from fewshot.papers.source_choice.page import page
    from fewshot.papers.source_choice.study import measure, prepare

    def rank(report: Report, say: Say) -> Page:
        place, sizes = this_machine(device, jobs), {"sentences": sentences, "tests": test_sentences, "updates": updates}
        study = prepare(task, parse_list(source), parse_list(langs), data, model, place, warning(say), **sizes)
        return page(study, measure(study, out, report))

    carry_out(rank, out)
