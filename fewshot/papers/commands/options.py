"""The group ``fewshot analyze``, and the options and functions that its commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli import app  # with its commands, which are listed before these
from fewshot.cli.common.reporting import as_warning, run_analysis

if TYPE_CHECKING:
    from fewshot.papers.measurements import StudyRun
    from fewshot.reports.page import Page

analyze = typer.Typer(help="Repeat the analyses of papers and compare the numbers.", no_args_is_help=True)
app.add_typer(analyze, name="analyze")

SourceTasks = Annotated[str, typer.Option(help="Tasks with source models and data.")]
ProbeTasks = Annotated[str, typer.Option(help="Tasks to probe with; tasks without data are left out.")]
FineTunedTasks = Annotated[str, typer.Option(help="Tasks; tasks without data are left out.")]

TargetLangs = Annotated[str, typer.Option(help="Target languages.")]
LANGS = "ar,de,el,es,eu,fi,fr,he,hi,it,ja,kk,ko,ru,sv,sw,th,tr,yo,zh"
TrainedLangs = Annotated[str, typer.Option(help="Languages to train on, one model for each.")]
ScoredLangs = Annotated[str, typer.Option(help="Languages to score; languages without data are left out.")]

TrainingFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--data", help="Folder of folders such as en_ewt, ja_gsd; repeatable.", show_default="the embedded sample"
    ),
]

Sentences = Annotated[int, typer.Option(help="Maximum number of training examples.")]
TestSentences = Annotated[int, typer.Option(help="Maximum number of examples of a test set.")]
Updates = Annotated[int, typer.Option(help="Updates of each fine-tuning.")]
FineTunings = Annotated[int, typer.Option(help="Seeds: fine-tunings of each kind.")]
ScaleName = Annotated[str, typer.Option(help="small, tiny, or a TOML file with settings of encoders and probes.")]
Seeds = Annotated[int, typer.Option(help="Seeds: pretrainings and probes of each row.")]
Folder = Annotated[Path, typer.Option(help="Output folder.")]


def lists(*texts: str) -> list[Sequence[str]]:
    """Return the items of options that take lists."""
    from fewshot.experiments.plan import parse_list

    return [parse_list(text) for text in texts]


def run_study(study: Callable[[StudyRun], Page], device: str, jobs: int | None, out: Path) -> None:
    """Run a study whose folder holds measurements."""
    from fewshot.experiments.executors.place import this_machine
    from fewshot.papers.measurements import CELLS, TABLE, StudyRun

    place = this_machine(device, jobs)
    run_analysis(lambda report, say: study(StudyRun(place, out, report, as_warning(say))), out, (CELLS, TABLE))
