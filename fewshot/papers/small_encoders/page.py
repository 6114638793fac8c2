"""The report of small encoders: our scores with intervals over seeds, the paper's figures beside them.

These are of Karthikeyan et al. 2020 (``bilingual``), tables 1 to 10, and Wu & Dredze 2020 (``monolingual``), table 4.
``small_encoders.csv`` holds a score in percent a line: accuracy of NLI (XNLI) and POS, F1 of NER, with the standard
deviation where there is one. ``X`` stands for the target language. Tables 6 and 7 are given by the weights relative to
the base encoder, and of table 6 the encoders of 12 layers.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path

from fewshot import tasks
from fewshot.curves.points import estimate
from fewshot.curves.results import Result
from fewshot.papers.measurements import with_interval
from fewshot.papers.small_encoders.design import Design, TableRow, shown, weights
from fewshot.papers.small_encoders.probes import Probe, Work
from fewshot.reports.page import Page, Section, Table

INTERVALS = (
    "Scores are means over the seeds, each of which pretrains and probes anew; intervals are 95%, Student's t over the "
    "seeds and, added as a variance, the noise of the test set."
)


@cache
def figures() -> dict[tuple[str, int, str, str, str], dict[str, float]]:
    """Return scores by target language, under analysis, table, row, language scored, task."""
    found: dict[tuple[str, int, str, str, str], dict[str, float]] = {}
    with Path(__file__).with_name("small_encoders.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            key = (line["analysis"], int(line["table"]), line["row"], line["test"], line["task"])
            found.setdefault(key, {})[line["target"]] = float(line["score"])
    return found


def beside(analysis: str, table: int, row: str, test: str, task: str, target: str) -> str:
    """Return the figure of the paper beside a score of ours.

    Where it has none of the target, it is the range over the paper's languages; empty where there is none at all.
    """
    by_target = figures().get((analysis, table, row, test, task), {})
    if target in by_target:
        return f"{by_target[target]:.1f}"
    scores = sorted(by_target.values())
    if not scores:
        return ""
    return f"{scores[0]:.1f}" if len(scores) == 1 else f"{scores[0]:.1f}–{scores[-1]:.1f}"


def page(work: Work, done: Mapping[str, Result]) -> Page:
    """Return the report of what there are results of, by `Probe.run`."""
    design, encoders = work.design, len({probe.pretraining.key for _, probe in work.cells})
    probes = {(row.table, row.name, row.target, test, task): probe for (row, test, task), probe in work.cells}
    numbers = dict.fromkeys(row.table for (row, *_), _ in work.cells)
    return Page(
        title=f"{design.analysis.capitalize()} encoders, after {design.paper}",
        headline=f"{encoders} encoders, untrained controls among them, probed with {design.seeds} seeds each",
        sections=[Section(tables=[_table(design, number, probes, done) for number in numbers])],
        notes=(*design.notes, INTERVALS),
        facts=_facts(work),
    )


def _facts(work: Work) -> dict[str, dict[str, str]]:
    data = {
        f"{probe.task.title} {' to '.join(map(shown, probe.langs))}": f"{len(probe.train.examples)} training examples "
        f"of {probe.train.folder}, {len(probe.test.examples)} test examples of {probe.test.folder}"
        for _, probe in work.cells
    }
    scale = {name.replace("_", " "): f"{value:g}" for name, value in asdict(work.scale).items()}
    return {"Scale": {**scale, "corpus": str(work.source), "device": work.place.device.type}, "Probes": data}


def _table(
    design: Design, table: int, probes: Mapping[tuple[int, str, str, str, str], Probe], done: Mapping[str, Result]
) -> Table:
    ours = list(dict.fromkeys(key[-1] for key in probes if key[0] == table))
    theirs = sorted({key[-1] for key in figures() if key[:2] == (design.analysis, table)})
    columns = ["encoder", "trained", "scored", "weights (M)"]
    columns += [f"{name} {tasks.get(name).metric}" for name in ours]
    columns += [f"paper {name}" for name in theirs]
    lines = []
    for row in design.rows:
        for test in row.tests if row.table == table else ():
            found = [probes.get((table, row.name, row.target, test, name)) for name in ours]
            if any(found):
                runs = [[done[probe.run(seed)] for seed in range(design.seeds)] if probe else [] for probe in found]
                scores = [with_interval(*estimate(of)) if of else "" for of in runs]
                place = "X" if test == row.target else shown(test)
                paper = [beside(design.analysis, table, row.name, place, name, row.target) for name in theirs]
                lines.append((*_heading(row, test), *scores, *paper))
    return Table(f"Table {table}: {design.titles[table]}", tuple(columns), tuple(lines))


def _heading(row: TableRow, test: str) -> tuple[str, ...]:
    name = row.name.replace("X", row.target)
    if "-" not in name:
        name = f"{row.pretraining.name}: {name}"
    return name, shown(row.train), shown(test), f"{weights(row.pretraining.settings) / 1e6:.1f}"
