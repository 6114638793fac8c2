"""``fewshot analyze overlap``: subwords that languages share with English."""

from __future__ import annotations

from pathlib import Path

from fewshot.cli.analyze.base import LANGS, Folder, SourceTasks, TargetLangs, carry_out, warning
from fewshot.cli.base import GOES_ON, DataFolders, Device, Jobs, ModelName, analyze_app, command


@command(analyze_app, stopped=GOES_ON)
def overlap(
    data: DataFolders,
    task: SourceTasks = "pos,dep,ner,nli,topic",
    langs: TargetLangs = LANGS,
    model: ModelName = "mini",
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/overlap"),
) -> None:
    """Find whether zero-shot scores rise with the subwords shared with English (Wu & Dredze 2019, section 5.4)."""
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list
    from fewshot.papers.overlap import analyse

    place = this_machine(device, jobs)
    carry_out(
        lambda report, say: analyse(
            names=parse_list(task),
            langs=parse_list(langs),
            model=model,
            data=data,
            place=place,
            folder=out,
            report=report,
            warn=warning(say),
        ),
        out,
    )
