"""``fewshot zero-shot``: what the source models score on other languages, as a table of drops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fewshot import tasks
from fewshot.corpora.embedded import data_dir, sample_languages
from fewshot.corpora.types import Pair
from fewshot.curves.results import RESULTS, Result
from fewshot.encoders import load as encoders
from fewshot.experiments.folders import Folders
from fewshot.experiments.plan import parse_list
from fewshot.experiments.zero_shot import execute, source_language, test_sets
from fewshot.reports import page
from fewshot.training import adapt

NOTE = (
    "The first score is that of the source language; the others are drops from it (Lauscher et al. 2020, Table 1). "
    "After ± stands half of the 95% interval of each language's own score (bootstrap over test examples)."
)


@dataclass(frozen=True, slots=True)
class Request:
    """The options of the command, see ``fewshot zero-shot --help``."""

    task: str
    langs: str
    data: Sequence[Path]
    model: str
    mixed: bool
    device: str
    out: Path
    command: str


def zero_shot(request: Request, console: Console) -> None:
    """Score source models on every language that there is data of, and write the table."""

    def say(line: str) -> None:
        console.print(line, soft_wrap=True)

    asked = list(tasks.registry()) if request.task == "all" else parse_list(request.task)
    names = [tasks.get(name).name for name in asked]
    kinds = dict.fromkeys(tasks.get(name).example.kind for name in names)
    sample = [data_dir() / "sample" / kind for kind in kinds]
    device = adapt.device(request.device)
    encoder = encoders.load(request.model)
    start = source_language(names, encoder)
    known = dict.fromkeys(lang for kind in kinds for lang in sample_languages(kind) if lang != start)
    langs = parse_list(request.langs) or list(known)
    folders = Folders(request.data or sample, [start, *langs], lambda line: say(f"warning: {line}"))
    with console.status("reading") as status:
        wanted = test_sets(names, [start, *langs], folders, request.mixed)
        for lang in langs:
            if not any(one.lang == lang for one in wanted):
                say(f"warning: no task has a test set in {lang}")
        results = execute(wanted, encoder, device, request.out, status.update)
    pairs = [result for result in results if tasks.get(result.task).example is Pair]
    found = [grid(results, start), *([premises_by_hypotheses(pairs)] if request.mixed else [])]
    facts = {"Data": {f"{r.task} {r.lang}": f"{r.data} ({r.test_units['token']} tokens)" for r in results}}
    places = {name: ", ".join(dict.fromkeys(Path(r.data).name for r in results if r.task == name)) for name in names}
    headline = f"{len(found[0].rows)} tasks in {len(found[0].columns) - 3} languages, {encoder.name}"
    written = page.Page("Zero-shot transfer", headline, found, [NOTE], facts, command=request.command)
    page.write(written, request.out / "report.html")
    for one in found:
        console.print(page.terminal(one))
    for name, place in places.items():
        say(f"  {name}: {place}")
    for name in ("report.html", RESULTS):
        say(f"  {request.out / name}")


def grid(results: Sequence[Result], source: str) -> page.Grid:
    """Return one row a task: the score in the source language, and the drop in each other one."""
    scores = {(result.task, result.lang): result for result in results}
    langs = [lang for lang in dict.fromkeys(r.lang for r in results) if lang != source and "-" not in lang]
    rows = []
    for task in dict.fromkeys(result.task for result in results):
        start = scores.get((task, source))
        cells = [_cell(scores.get((task, lang)), start) for lang in langs]
        rows.append((task, tasks.get(task).metric, f"{start.score:.1f}" if start else "", *cells))
    return page.Grid("Zero-shot transfer", ("task", "metric", source, *langs), tuple(rows))


def premises_by_hypotheses(results: Sequence[Result]) -> page.Grid:
    """Return the scores of mixed pairs: a row a language of the premises, a column one of the hypotheses."""
    scores = {tuple((r.lang if "-" in r.lang else f"{r.lang}-{r.lang}").split("-")): r for r in results}
    mixed = [lang for pair in scores if pair[0] != pair[1] for lang in pair]
    langs = [lang for lang in dict.fromkeys(lang for pair in scores for lang in pair) if lang in mixed]
    rows = [(first, *(f"{scores[first, second].score:.1f}" for second in langs)) for first in langs]
    return page.Grid("Premises by hypotheses (Karthikeyan et al. 2020, Table 11)", ("premise", *langs), tuple(rows))


def _cell(result: Result | None, start: Result | None) -> str:
    """Return a drop, or the score where there is none to drop from, with half of the interval's width."""
    if result is None:
        return ""
    half = (result.high - result.low) / 2
    return f"{result.score - start.score:+.1f} ±{half:.1f}" if start else f"{result.score:.1f} ±{half:.1f}"
