"""``fewshot zero-shot``: score source models on other languages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.common.base import RESUME_HINT, Device, Jobs, ModelNames, app, command
from fewshot.cli.common.reporting import SampleLangs, SampleOrFolders, Say, as_warning, run_analysis

if TYPE_CHECKING:
    from fewshot.progress import Report
    from fewshot.reports.page import Page


@command(app, "zero-shot", example="fewshot zero-shot --task pos,ner --langs ja,sw", stopped=RESUME_HINT)
def zero_shot(
    task: Annotated[str, typer.Option(help="Tasks with commas, or all.")] = "all",
    langs: SampleLangs = "",
    data: SampleOrFolders = None,
    model: ModelNames = None,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="NLI: combine premises with hypotheses of other languages.")
    ] = False,
    device: Device = "auto",
    jobs: Jobs = None,
    out: Annotated[Path, typer.Option(help="Folder of the table.")] = Path("runs/zero-shot"),
) -> None:
    """Score the source models on other languages, with the drops next to those of Lauscher et al. 2020."""
    from fewshot import tasks
    from fewshot.curves.results import RESULTS
    from fewshot.encoders.load import load_encoder
    from fewshot.experiments.data_folders import DataFolders, data_or_sample, langs_of_sample
    from fewshot.experiments.executors.place import this_machine
    from fewshot.experiments.plan import parse_list
    from fewshot.transfer.page import page
    from fewshot.transfer.scoring import score_all, source_language, test_sets

    names = [tasks.get(name).name for name in (tasks.registry() if task == "all" else parse_list(task))]
    place = this_machine(device, jobs)
    encoders = [load_encoder(name) for name in dict.fromkeys(model or ["mini"])]
    start = source_language(names, *encoders)
    targets = parse_list(langs) or [lang for lang in langs_of_sample(names) if lang != start]

    def score(report: Report, say: Say) -> Page:
        warn = as_warning(say)
        known = [start, *targets]
        tests = test_sets(names, known, DataFolders(data_or_sample(data, names), known, warn), mixed)
        for name in dict.fromkeys(test.task for test in tests):
            folders = dict.fromkeys(test.examples.folder.name for test in tests if test.task == name)
            say(f"{name}: {', '.join(folders)}")
        for lang in targets:
            if not any(test.lang == lang for test in tests):
                warn(f"no task has a test set in {lang}")
        return page(score_all(tests, encoders, place, out, report), start)

    run_analysis(score, out, [RESULTS])
