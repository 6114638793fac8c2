"""``fewshot analyze layers``: which bottom layers to freeze in fine-tuning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.analyze.base import (
    FineTunedTasks,
    FineTunings,
    Folder,
    Say,
    ScoredLangs,
    Sentences,
    TestSentences,
    TrainedLangs,
    TrainingFolders,
    Updates,
    carry_out,
    warning,
)
from fewshot.cli.base import GOES_ON, Device, Jobs, ModelName, analyze_app, command

if TYPE_CHECKING:
    from fewshot.progress import Report
    from fewshot.reports.page import Page


@command(analyze_app, stopped=GOES_ON)
def layers(  # noqa: PLR0913
    data: TrainingFolders = None,
    task: FineTunedTasks = "pos,dep,ner,nli",
    source: TrainedLangs = "en",
    langs: ScoredLangs = "ar,fi,hi,ja,sv,tr",
    frozen: Annotated[
        str,
        typer.Option(help="Bottom layers to freeze beside the embeddings: 0,3.", show_default="0,3,6,9 scaled from 12"),
    ] = "",
    model: ModelName = "mini",
    sentences: Sentences = 3000,
    test_sentences: TestSentences = 500,
    updates: Updates = 150,
    seeds: FineTunings = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/layers"),
) -> None:
    """Find which bottom layers to freeze, or all (Wu & Dredze 2019, section 5.2)."""
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list, parse_numbers
    from fewshot.papers.fine_tuning.fine_tune import prepare
    from fewshot.papers.layers import analyse

    bottoms = parse_numbers("--frozen", frozen, "number of layers", "0,1,2")

    def freeze(report: Report, say: Say) -> Page:
        names, sources, targets = parse_list(task), parse_list(source), parse_list(langs)
        sizes = {"sentences": sentences, "tests": test_sentences, "updates": updates, "seeds": seeds}
        study = prepare(names, sources, targets, data, model, this_machine(device, jobs), warning(say), **sizes)
        return analyse(study, bottoms, out, report)

    carry_out(freeze, out)
