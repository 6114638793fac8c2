"""``fewshot analyze resources``: is an encoder worth it in languages that it has seen little of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fewshot.commands.analyze import analyze, warning
from fewshot.encoders.load import load_encoder
from fewshot.errors import FewshotError
from fewshot.experiments.plan import parse_list, parse_numbers
from fewshot.papers.measuring.data_folders import Folders
from fewshot.papers.published import languages
from fewshot.papers.resources import page as resources_page
from fewshot.papers.resources import study as resources
from fewshot.papers.statistics import linear
from fewshot.reports.page import Page
from fewshot.training.adapt import find_device


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot analyze resources --help``."""

    data: Sequence[Path]
    task: str
    langs: str
    k: str
    model: str
    seeds: int
    updates: int
    tested: int
    device: str
    out: Path
    command: str


def run(request: Request, console: Console) -> None:
    """Train, score, fit the linear models and write the report."""
    linear.least_squares()  # missing, it is said before hours of training
    ks = parse_numbers("--k", request.k, "number of sentences", "50,500")
    langs = parse_list(request.langs) or languages.with_wikisize()
    if without := [lang for lang in langs if languages.wikisize(lang) is None]:
        raise FewshotError(f"no WikiSize of {', '.join(without)}: Wu & Dredze 2020 have none; leave it out of --langs")

    def work(move: Callable[[str], None], say: Callable[[str], None]) -> Page:
        warn = warning(say)
        wanted = resources.Request(
            encoder=load_encoder(request.model),
            names=parse_list(request.task),
            langs=langs,
            ks=ks,
            seeds=request.seeds,
            updates=request.updates,
            tested=request.tested,
            device=find_device(request.device),
        )
        folders = Folders(request.data, langs, warn)
        return resources_page.page(resources.measure(wanted, folders, request.out, move, warn))

    analyze(work, request.out, request.command, console)
