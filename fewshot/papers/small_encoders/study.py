"""Pretrain the encoders of a design, probe them, and report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fewshot.experiments.executors.place import Place
from fewshot.papers.small_encoders.design import Design
from fewshot.papers.small_encoders.page import page
from fewshot.papers.small_encoders.probes import prepare
from fewshot.papers.small_encoders.run import execute
from fewshot.papers.small_encoders.scale import Scale
from fewshot.progress import Report
from fewshot.reports.page import Page


def analyse(  # noqa: PLR0913
    design: Design,
    names: Sequence[str],
    scale: Scale,
    corpus: Path,
    data: Sequence[Path],
    place: Place,
    folder: Path,
    report: Report,
    say: Callable[[str], None],
) -> Page:
    """Carry out what the folder has no result of, and return the report, see `prepare` and `execute`."""
    work = prepare(design, names, scale, corpus, data, place, lambda line: say(f"warning: {line}"))
    return page(work, execute(work, folder, report, say))
