"""``fewshot analyze language-id``, ``overlap`` and ``alignment``: what languages share in an encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from rich.console import Console

from fewshot.commands.analyze import analyze, warning
from fewshot.experiments.plan import parse_list
from fewshot.papers import language_id as told
from fewshot.papers import overlap as shared
from fewshot.papers.alignment import study as aligned
from fewshot.reports.page import Page
from fewshot.training.adapt import find_device

Measure = Callable[[torch.device, Path, Callable[[str], None], Callable[[str], None]], Page]
"""Measures on a device, in a folder; called with what shows a passing line and what warns."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options that all three share, see ``fewshot analyze overlap --help``."""

    langs: str
    model: str
    device: str
    out: Path
    command: str


def language_id(request: Request, corpus: Path, sentences: int, seeds: int, console: Console) -> None:
    """Find how well each layer tells languages apart."""
    question = told.Question(corpus, parse_list(request.langs), request.model, sentences, seeds)
    _analyze(request, lambda device, out, move, _: told.language_id(question, device, out, move), console)


def overlap(request: Request, data: Sequence[Path], task: str, console: Console) -> None:
    """Find whether scores rise with shared subwords."""
    question = shared.Question(parse_list(task), parse_list(request.langs), request.model, data)
    _analyze(request, partial(shared.overlap, question), console)


def alignment(
    request: Request, data: Sequence[Path], task: str, parallel: str, sentences: int, seeds: int, console: Console
) -> None:
    """Find how alike translations are, and whether transfer follows."""
    names, langs = parse_list(task), parse_list(request.langs)
    question = aligned.Question(names, parallel, langs, request.model, data, sentences, seeds)
    _analyze(request, partial(aligned.alignment, question), console)


def _analyze(request: Request, measure: Measure, console: Console) -> None:
    device = find_device(request.device)

    def work(move: Callable[[str], None], say: Callable[[str], None]) -> Page:
        return measure(device, request.out, move, warning(say))

    analyze(work, request.out, request.command, console)
