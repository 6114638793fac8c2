"""The report of small encoders: our scores with intervals over seeds, the paper's figures beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from fewshot import tasks
from fewshot.curves.points import estimate
from fewshot.curves.results import Result
from fewshot.papers.published.small_encoders import beside, figures
from fewshot.papers.small_encoders.design import Design, TableRow, shown
from fewshot.papers.small_encoders.probes import Probe, Work
from fewshot.papers.small_encoders.scale import weights
from fewshot.reports.page import Page, Section, Table

INTERVALS = (
    "Scores are means over the seeds, each of which pretrains and probes anew; intervals are 95%, Student's t over the "
    "seeds and, added as a variance, the noise of the test set."
)


def page(work: Work, done: Mapping[str, Result]) -> Page:
    """Return the report of what there are results of.

    Args:
        work: the design, and the probe behind each cell.
        done: results by `Probe.run`.
    """
    design, encoders = work.design, len({probe.pretraining.key for _, probe in work.cells})
    return Page(
        title=f"{design.analysis.capitalize()} encoders, after {design.paper}",
        headline=f"{encoders} encoders, untrained controls among them, probed with {design.seeds} seeds each",
        sections=[Section(tables=tables(work, done))],
        notes=(*design.notes, INTERVALS),
        facts=facts(work),
    )


def tables(work: Work, done: Mapping[str, Result]) -> list[Table]:
    """Return the tables that there are results of, see `page`."""
    probes = {(row.table, row.name, row.target, test, task): probe for (row, test, task), probe in work.cells}
    numbers = dict.fromkeys(row.table for (row, *_), _ in work.cells)
    return [_table(work.design, number, probes, done) for number in numbers]


def facts(work: Work) -> dict[str, dict[str, str]]:
    """Return what was done on what, for the report."""
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
            cells = [probes.get((table, row.name, row.target, test, name)) for name in ours]
            if any(cells):
                scores = [_score(probe, design.seeds, done) for probe in cells]
                lines.append((*_heading(row, test), *scores, *_published(design, row, test, theirs)))
    return Table(f"Table {table}: {design.titles[table]}", tuple(columns), tuple(lines))


def _heading(row: TableRow, test: str) -> tuple[str, ...]:
    name = row.name.replace("X", row.target)
    if "-" not in name:
        name = f"{row.pretraining.name}: {name}"
    return name, shown(row.train), shown(test), f"{weights(row.pretraining.settings) / 1e6:.1f}"


def _score(probe: Probe | None, seeds: int, done: Mapping[str, Result]) -> str:
    if probe is None:
        return ""
    score, low, high = estimate([done[probe.run(seed)] for seed in range(seeds)])
    return f"{score:.1f} [{low:.1f}, {high:.1f}]"


def _published(design: Design, row: TableRow, test: str, names: list[str]) -> list[str]:
    place = "X" if test == row.target else shown(test)
    return [beside(design.analysis, row.table, row.name, place, name, row.target) for name in names]
