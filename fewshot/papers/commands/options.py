"""The group ``fewshot analyze``, and what its commands share: options with one meaning, and how a study is run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli import app  # with its commands, which are listed before these
from fewshot.cli.common.reporting import Say, run_analysis

if TYPE_CHECKING:
    from fewshot.progress import Report
    from fewshot.reports.page import Page

analyze = typer.Typer(help="Analyses of the papers, their figures beside ours.", no_args_is_help=True)
app.add_typer(analyze, name="analyze")

SourceTasks = Annotated[str, typer.Option(help="Tasks that there are source models and data for.")]
ProbeTasks = Annotated[str, typer.Option(help="Tasks to probe with, where there is data.")]
FineTunedTasks = Annotated[str, typer.Option(help="Tasks, where there is data.")]

TargetLangs = Annotated[str, typer.Option(help="Target languages.")]
LANGS = "ar,de,el,es,eu,fi,fr,he,hi,it,ja,kk,ko,ru,sv,sw,th,tr,yo,zh"
TrainedLangs = Annotated[str, typer.Option(help="Languages to train on, each by itself.")]
ScoredLangs = Annotated[str, typer.Option(help="Languages to score, where there is data.")]

TrainingFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--data", help="Folder of folders such as en_ewt, ja_gsd; repeatable.", show_default="the embedded sample"
    ),
]

Sentences = Annotated[int, typer.Option(help="Most sentences, or other examples, to train on.")]
TestSentences = Annotated[int, typer.Option(help="Most of them of each test set.")]
Updates = Annotated[int, typer.Option(help="Updates of one fine-tuning.")]
FineTunings = Annotated[int, typer.Option(help="Fine-tunings of each kind.")]
ScaleName = Annotated[str, typer.Option(help="small, tiny, or a TOML file with settings of encoders and probes.")]
Seeds = Annotated[int, typer.Option(help="Pretrainings and probes of each row.")]
Folder = Annotated[Path, typer.Option(help="Folder of the analysis.")]


def measured(study: Callable[[Report, Say], Page], out: Path) -> None:
    """Run a study whose folder holds measurements, see `carry_out`."""
    from fewshot.papers.measurements import CELLS, TABLE

    run_analysis(study, out, (CELLS, TABLE))
