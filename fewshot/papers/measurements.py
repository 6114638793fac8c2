"""The measurements that a study is made of, each on disk before the next begins, and what studies do with scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import pandas as pd
import torch

from fewshot import records
from fewshot.corpora.files import write_text
from fewshot.curves import journal
from fewshot.curves.points import over_draws
from fewshot.curves.results import Result
from fewshot.errors import FewshotError
from fewshot.evaluation.evaluate import Evaluation
from fewshot.experiments.executors.place import Place
from fewshot.experiments.jobs import Job, run_missing_jobs
from fewshot.experiments.machine import PROCESS_BYTES
from fewshot.experiments.plan import digest
from fewshot.progress import Report

CELLS, TABLE = "cells.jsonl", "table.csv"
"""Names of the files in the folder of a study: what resumes it, and all that was measured, for further use."""

Row = Mapping[str, Any]
"""What was measured, by the name of its column; texts and numbers."""


class Measured(TypedDict):
    """What a line of ``cells.jsonl`` holds, beside the names."""

    cell: str
    rows: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Cell:
    """What is measured at once.

    Args:
        names: what it is of, by column: ``{"lang": "ja", "seed": 0}``; the same for all its rows.
        identity: JSON of all else that decides what is measured: fingerprints of encoder and data, settings.
        measure: does it on a device; a row for each of its figures, such as one a layer. Processes get it by pickle.
    """

    names: Row
    identity: Any
    measure: Callable[[torch.device], Sequence[Row]]

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.names.items())

    @property
    def key(self) -> str:
        """Equal exactly when nothing that decides the rows differs."""
        return digest([dict(self.names), self.identity])


def fill(
    cells: Iterable[Cell], folder: Path, place: Place, report: Report, process_bytes: float = PROCESS_BYTES
) -> pd.DataFrame:
    """Measure the cells that the folder does not hold yet, and write all of them as a table.

    Args:
        cells: in the order of the table, no two of the same names.
        process_bytes: memory that a process takes for a cell.

    Returns:
        A line for each row of each cell, in order; columns are the names and what was measured.

    Raises:
        FewshotError: when the folder cannot be written, another process works in it, or a line of it is damaged.
    """
    wanted = {cell.key: cell for cell in cells}
    path = folder / CELLS

    def keep(job: Job[list[Row]], rows: list[Row]) -> None:
        journal.append(path, {"cell": job.key, **wanted[job.key].names, "rows": rows})

    jobs = [Job(str(cell), key, partial(_measured, cell.measure)) for key, cell in wanted.items()]
    with journal.lock_journal(path):
        done = _read(path)
        run_missing_jobs(jobs, done, keep, place, report, process_bytes)
    table = pd.DataFrame([{**cell.names, **row} for key, cell in wanted.items() for row in done[key]])
    write_text(folder / TABLE, table.to_csv(index=False))
    return table


def _measured(measure: Callable[[torch.device], Sequence[Row]], device: torch.device, _: Report) -> list[Row]:
    return [dict(row) for row in measure(device)]


def _read(path: Path) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for number, line in journal.read(path):
        where = f"{path}:{number}: no measurement of fewshot"
        values = records.parse(line, Measured, where, "remove this line and it is repeated")
        found[values["cell"]] = list(values["rows"])
    return found


def scored(found: Evaluation | Result) -> dict[str, float]:
    """Return the columns of a score in percent: ``score, low, high``."""
    return {"score": found.score, "low": found.low, "high": found.high}


def over_seeds(rows: pd.DataFrame) -> tuple[float, float, float]:
    """Return the mean ``score`` of rows, one a seed, and the ends of its 95% interval.

    It holds Student's t over the seeds and, added as a variance, the mean noise of the test sets, ``low`` to ``high``.
    """
    below, above = rows["score"] - rows["low"], rows["high"] - rows["score"]
    return over_draws([list(rows["score"])], float(below.mean()), float(above.mean()))


def with_interval(score: float, low: float, high: float) -> str:
    """Return a score and its interval as tables show them."""
    return f"{score:.1f} [{low:.1f}, {high:.1f}]"


def check_positive(options: Mapping[str, int]) -> None:
    """Check that all options are at least 1.

    Raises:
        FewshotError: for the first that is not.
    """
    for name, value in options.items():
        if value < 1:
            raise FewshotError(f"{name} is {value}; it must be at least 1")
