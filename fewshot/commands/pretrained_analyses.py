"""``fewshot analyze bilingual`` and ``monolingual``: experiments that pretrain small encoders of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fewshot.commands.analyze import show, warning
from fewshot.curves.results import RESULTS
from fewshot.experiments.plan import parse_list, parse_numbers
from fewshot.papers import bilingual as bi
from fewshot.papers import monolingual as mono
from fewshot.papers.small_encoders import scale as scales
from fewshot.papers.small_encoders.design import Plan, check_langs
from fewshot.papers.small_encoders.page import facts, tables
from fewshot.papers.small_encoders.run import execute, prepare
from fewshot.papers.small_encoders.scale import Scale
from fewshot.pretraining import corpus as corpora
from fewshot.reports.page import Page, Section
from fewshot.training.adapt import find_device

INTERVALS = (
    "Scores are means over the seeds, each of which pretrains and probes anew; intervals are 95%, Student's t over the "
    "seeds and, added as a variance, the noise of the test set."
)


@dataclass(frozen=True, slots=True)
class Request:
    """The options that both share, see ``fewshot analyze bilingual --help``."""

    corpus: Path
    data: Sequence[Path]
    langs: str
    task: str
    scale: str
    seeds: int
    device: str
    out: Path
    command: str


def bilingual(request: Request, table: str, console: Console) -> None:
    """Carry out tables of Karthikeyan et al. 2020."""
    tables = parse_numbers("--table", table, "number", "1,3")

    def plan(scale: Scale, langs: Sequence[str], known: Sequence[str]) -> Plan:
        check_langs([bi.EN, *langs], known)
        return bi.plan(scale, langs, tables, request.seeds)

    _analyze(request, plan, console)


def monolingual(request: Request, partner: str, console: Console) -> None:
    """Carry out table 4 of Wu & Dredze 2020."""

    def plan(scale: Scale, langs: Sequence[str], known: Sequence[str]) -> Plan:
        check_langs([partner, *langs], known)
        return mono.plan(scale, langs, partner, known, request.seeds)

    _analyze(request, plan, console)


def _analyze(request: Request, make: Callable[[Scale, Sequence[str], Sequence[str]], Plan], console: Console) -> None:
    """Make a plan, carry it out, write its report and print its tables."""

    def say(line: str) -> None:
        console.print(line, soft_wrap=True)

    scale = scales.find(request.scale)
    plan = make(scale, parse_list(request.langs), corpora.languages(request.corpus))
    device = find_device(request.device)
    work = prepare(plan, parse_list(request.task), scale, request.corpus, request.data, device, warning(say))
    with console.status("reading the corpus") as status:
        done = execute(work, request.out, status.update, say)
    found = tables(work, done)
    encoders = len({probe.pretraining.key for _, probe in work.cells})
    title = f"{plan.analysis.capitalize()} encoders, after {plan.paper}"
    headline = f"{encoders} encoders, untrained controls among them, probed with {plan.seeds} seeds each"
    notes = (*plan.notes, INTERVALS)
    page = Page(title, headline, [Section(tables=found)], notes, facts(work), commands=[request.command])
    show(page, request.out, [RESULTS], console)
