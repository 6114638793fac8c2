"""The report of small encoders: scores with intervals over seeds, beside the paper's.

``small_encoders.csv`` holds the scores of Karthikeyan et al. 2020 (``bilingual``, tables 1 to 10) and Wu & Dredze 2020
(``monolingual``, table 4) in percent: accuracy of NLI (XNLI) and POS, F1 of NER, with the standard deviation where
known. ``X`` stands for the target language. Tables 6 and 7 name encoders by their weights relative to the base encoder;
of table 6 the encoders of 12 layers are given.
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
from fewshot.papers.small_encoders.design import TableRow, shown, weights
from fewshot.papers.small_encoders.probes import Work
from fewshot.reports.page import Page, Section, Table

INTERVALS = (
    "Scores are means over the seeds, each of which pretrains and probes anew; intervals are 95%, Student's t over the "
    "seeds and, added as a variance, the noise of the test set."
)


@cache
def figures() -> dict[tuple[str, int, str, str, str], dict[str, float]]:
    """Return the paper's scores by target language, under analysis, table, row, tested language and task."""
    scores: dict[tuple[str, int, str, str, str], dict[str, float]] = {}
    with Path(__file__).with_name("small_encoders.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            key = (line["analysis"], int(line["table"]), line["row"], line["test"], line["task"])
            scores.setdefault(key, {})[line["target"]] = float(line["score"])
    return scores


def published(analysis: str, table: int, row: str, test: str, task: str, target: str) -> str:
    """Return the paper's score for a target language, else the range over its languages, else ''."""
    by_target = figures().get((analysis, table, row, test, task), {})
    scores = [f"{score:.1f}" for score in sorted(by_target.values())]
    if target in by_target:
        return f"{by_target[target]:.1f}"
    return "–".join([scores[0], scores[-1]] if len(scores) > 1 else scores)


def page(work: Work, done: Mapping[str, Result]) -> Page:
    """Return the report of the results, which are given by `Probe.run`."""
    design, encoders = work.design, len({probe.pretraining.key for _, probe in work.cells})
    data = {
        f"{probe.task.title} {' to '.join(map(shown, probe.langs))}": f"{len(probe.train.examples)} training examples "
        f"of {probe.train.folder}, {len(probe.test.examples)} test examples of {probe.test.folder}"
        for _, probe in work.cells
    }
    scale = {name.replace("_", " "): f"{value:g}" for name, value in asdict(work.scale).items()}
    numbers = dict.fromkeys(row.table for (row, *_), _ in work.cells)
    return Page(
        title=f"{design.analysis.capitalize()} encoders, after {design.paper}",
        headline=f"{encoders} encoders, untrained controls among them, probed with {design.seeds} seeds each",
        sections=[Section(tables=[_table(work, number, done) for number in numbers])],
        notes=(*design.notes, INTERVALS),
        facts={"Scale": {**scale, "corpus": str(work.source), "device": work.place.device.type}, "Probes": data},
    )


def _table(work: Work, number: int, done: Mapping[str, Result]) -> Table:
    design = work.design
    probes = {
        (row.name, row.target, test, task): probe for (row, test, task), probe in work.cells if row.table == number
    }
    ours = list(dict.fromkeys(task for *_, task in probes))
    theirs = sorted({key[-1] for key in figures() if key[:2] == (design.analysis, number)})
    columns = ["encoder", "trained", "scored", "weights (M)"]
    columns += [f"{name} {tasks.get(name).metric}" for name in ours]
    columns += [f"paper {name}" for name in theirs]
    lines = []
    for row in design.rows:
        for test in row.tests if row.table == number else ():
            filled = [probes.get((row.name, row.target, test, name)) for name in ours]
            if any(filled):
                runs = [[done[probe.run(seed)] for seed in range(design.seeds)] if probe else [] for probe in filled]
                scores = [with_interval(*estimate(results)) if results else "" for results in runs]
                column = "X" if test == row.target else shown(test)
                paper = [published(design.analysis, number, row.name, column, name, row.target) for name in theirs]
                lines.append((*_heading(row, test), *scores, *paper))
    return Table(f"Table {number}: {design.titles[number]}", tuple(columns), tuple(lines))


def _heading(row: TableRow, test: str) -> tuple[str, ...]:
    name = row.name.replace("X", row.target)
    if "-" not in name:
        name = f"{row.pretraining.name}: {name}"
    return name, shown(row.train), shown(test), f"{weights(row.pretraining.settings) / 1e6:.1f}"
