"""``fewshot analyze bilingual``: small encoders of two languages, pretrained and probed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.analyze.base import Folder, ProbeTasks, TargetLangs, carry_out
from fewshot.cli.base import GOES_ON, CorpusFolder, DataFolders, Device, Jobs, ScaleName, Seeds, analyze_app, command


@command(analyze_app, stopped=GOES_ON)
def bilingual(  # noqa: PLR0913
    corpus: CorpusFolder,
    data: DataFolders,
    langs: TargetLangs = "es,ru,hi",
    table: Annotated[str, typer.Option(help="Tables of the paper: 1,3.", show_default="all, 1 to 10")] = "",
    task: ProbeTasks = "pos,ner,nli",
    scale: ScaleName = "small",
    seeds: Seeds = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/bilingual"),
) -> None:
    """Find what makes encoders of two languages cross-lingual (Karthikeyan et al. 2020)."""
    from fewshot.curves.results import RESULTS
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list, parse_numbers
    from fewshot.papers.bilingual import EN, design
    from fewshot.papers.small_encoders.scale import find
    from fewshot.papers.small_encoders.study import analyse
    from fewshot.pretraining.corpus import check_languages

    tables, size, on = parse_numbers("--table", table, "number", "1,3"), find(scale), this_machine(device, jobs)
    targets, names = parse_list(langs), parse_list(task)
    check_languages(corpus, [EN, *targets])
    rows = design(size, targets, tables, seeds)
    carry_out(lambda report, say: analyse(rows, names, size, corpus, data, on, out, report, say), out, [RESULTS])
