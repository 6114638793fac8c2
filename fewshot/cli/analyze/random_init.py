"""``fewshot analyze random-init``: which pretrained layers transfer needs."""

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


@command(analyze_app, name="random-init", stopped=GOES_ON)
def random_init(  # noqa: PLR0913
    data: TrainingFolders = None,
    task: FineTunedTasks = "pos,dep,ner",
    source: TrainedLangs = "en",
    langs: ScoredLangs = "ar,fi,hi,ja,sv,tr",
    layers: Annotated[
        str, typer.Option(help="groups (sixths of the encoder, and all of it), single, or a list: 1,2,1-4.")
    ] = "groups",
    model: ModelName = "mini",
    sentences: Sentences = 3000,
    test_sentences: TestSentences = 500,
    updates: Updates = 150,
    seeds: FineTunings = 5,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/random-init"),
) -> None:
    """Find which pretrained layers transfer needs, by re-initialising them (Muller et al. 2021)."""
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list
    from fewshot.papers.fine_tuning.fine_tune import prepare
    from fewshot.papers.random_init import analyse

    def reinitialise(report: Report, say: Say) -> Page:
        names, sources, targets = parse_list(task), parse_list(source), parse_list(langs)
        sizes = {"sentences": sentences, "tests": test_sentences, "updates": updates, "seeds": seeds}
        study = prepare(names, sources, targets, data, model, this_machine(device, jobs), warning(say), **sizes)
        return analyse(study, layers, out, report)

    carry_out(reinitialise, out)
