"""``fewshot analyze monolingual``: small encoders of one language, two, and all, pretrained and probed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.analyze.base import Folder, ProbeTasks, carry_out
from fewshot.cli.base import GOES_ON, CorpusFolder, DataFolders, Device, Jobs, ScaleName, Seeds, analyze_app, command


@command(analyze_app, stopped=GOES_ON)
def monolingual(  # noqa: PLR0913
    corpus: CorpusFolder,
    data: DataFolders,
    langs: Annotated[str, typer.Option(help="Languages to probe.")] = "fi,tr",
    partner: Annotated[str, typer.Option(help="Second language of bilingual encoders.")] = "en",
    task: ProbeTasks = "pos,dep,ner",
    scale: ScaleName = "small",
    seeds: Seeds = 3,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Folder = Path("runs/monolingual"),
) -> None:
    """Compare encoders of one language, two, and all of them (Wu & Dredze 2020)."""
    from fewshot.curves.results import RESULTS
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list
    from fewshot.papers.monolingual import design
    from fewshot.papers.small_encoders.scale import find
    from fewshot.papers.small_encoders.study import analyse
    from fewshot.pretraining.corpus import check_languages, languages

    size, on = find(scale), this_machine(device, jobs)
    probed, names, known = parse_list(langs), parse_list(task), languages(corpus)
    check_languages(corpus, [partner, *probed])
    rows = design(size, probed, partner, known, seeds)
    carry_out(lambda report, say: analyse(rows, names, size, corpus, data, on, out, report, say), out, [RESULTS])
