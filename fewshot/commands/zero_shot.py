"""``fewshot zero-shot`` and ``fewshot analyze zero-shot``, one command: source models scored on other languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fewshot import tasks
from fewshot.commands.analyze import analyze, warning
from fewshot.corpora.embedded import data_dir, sample_languages
from fewshot.curves.results import RESULTS
from fewshot.encoders.load import load_encoder
from fewshot.experiments.plan import parse_list
from fewshot.papers.measuring.data_folders import Folders
from fewshot.papers.zero_shot import page as analysis
from fewshot.papers.zero_shot.study import execute, source_language, test_sets
from fewshot.reports.page import Page
from fewshot.training.adapt import find_device


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot zero-shot --help``."""

    task: str
    langs: str
    data: Sequence[Path]
    models: Sequence[str]
    mixed: bool
    device: str
    out: Path
    command: str


def zero_shot(request: Request, console: Console) -> None:
    """Score source models on every language that there is data of, and write table and heat map."""
    asked = list(tasks.registry()) if request.task == "all" else parse_list(request.task)
    names = [tasks.get(name).name for name in asked]
    device = find_device(request.device)
    loaded = [load_encoder(name) for name in dict.fromkeys(request.models)]
    start = source_language(names, *loaded)
    data, known = places(request.data, names)
    langs = parse_list(request.langs) or [lang for lang in known if lang != start]

    def carry_out(move: Callable[[str], None], say: Callable[[str], None]) -> Page:
        warn = warning(say)
        folders = Folders(data, [start, *langs], warn)
        wanted = test_sets(names, [start, *langs], folders, request.mixed)
        for task in dict.fromkeys(one.task for one in wanted):
            folders_of = dict.fromkeys(one.examples.folder.name for one in wanted if one.task == task)
            say(f"{task}: {', '.join(folders_of)}")
        for lang in langs:
            if not any(one.lang == lang for one in wanted):
                warn(f"no task has a test set in {lang}")
        results = []
        for encoder in loaded:
            move(encoder.name)
            results += execute(wanted, encoder, device, request.out, move)
        return analysis.page(results, start)

    analyze(carry_out, request.out, request.command, console, [RESULTS])


def places(data: Sequence[Path], names: Sequence[str]) -> tuple[Sequence[Path], Sequence[str]]:
    """Return folders that hold folders of data, and the languages that are meant where none are named.

    Args:
        data: of the user; without it, the embedded sample.
        names: of the tasks.
    """
    kinds = list(dict.fromkeys(tasks.get(name).example.kind for name in names))
    langs = dict.fromkeys(lang for kind in kinds for lang in sample_languages(kind))
    return data or [data_dir() / "sample" / kind for kind in kinds], list(langs)
