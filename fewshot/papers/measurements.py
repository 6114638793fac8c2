"""The measurements of an analysis, saved one by one, and the formats of their scores."""

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
from fewshot.experiments.executors.place import PROCESS_BYTES, Place
from fewshot.experiments.jobs import StudyJob, run_missing_jobs
from fewshot.experiments.plan import digest
from fewshot.progress import Report

CELLS, TABLE = "cells.jsonl", "table.csv"
"""Files in the folder of an analysis: the saved measurements, and the same as a table."""

Row = Mapping[str, Any]
"""Texts and numbers by column name."""


@dataclass(frozen=True, slots=True)
class StudyRun:
    """One run of a study: where it runs, its folder, and where its progress and warnings go."""

    place: Place
    folder: Path
    report: Report
    warn: Callable[[str], None]


class Measured(TypedDict):
    """The fields of a line of ``cells.jsonl``, without the names of the cell."""

    cell: str
    rows: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One unit of measuring.

    Args:
        names: columns that all rows of the cell share: ``{"lang": "ja", "seed": 0}``.
        identity: JSON of everything else that decides the result: fingerprints of encoder and data, settings.
        measure: returns a row for each figure, such as one for each layer; pickled for other processes.
    """

    names: Row
    identity: Any
    measure: Callable[[torch.device], Sequence[Row]]

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.names.items())

    @property
    def key(self) -> str:
        """Equal exactly for cells whose results are the same."""
        return digest([dict(self.names), self.identity])


def fill(cells: Iterable[Measurement], run: StudyRun, process_bytes: float = PROCESS_BYTES) -> pd.DataFrame:
    """Measure the cells that the folder of a study lacks, and write all cells as a table.

    Args:
        cells: in the order of the table; their names differ.
        process_bytes: memory of a process that measures a cell.

    Returns:
        A line for each row of each cell; columns are the names and the measured values.

    Raises:
        FewshotError: when the folder cannot be written, another process works in it, or a line of it is damaged.
    """
    wanted = {cell.key: cell for cell in cells}
    path = run.folder / CELLS

    def save(job: StudyJob[list[Row]], rows: list[Row]) -> None:
        journal.append(path, {"cell": job.key, **wanted[job.key].names, "rows": rows})

    jobs = [StudyJob(str(cell), key, partial(_measured, cell.measure)) for key, cell in wanted.items()]
    done: dict[str, list[Row]] = {}
    with journal.lock_journal(path):
        for number, line in journal.read(path):
            where = f"{path}:{number}: no measurement of fewshot"
            values = records.parse(line, Measured, where, "remove this line and it is repeated")
            done[values["cell"]] = list(values["rows"])
        run_missing_jobs(jobs, done, save, run.place, run.report, process_bytes)
    table = pd.DataFrame([{**cell.names, **row} for key, cell in wanted.items() for row in done[key]])
    write_text(run.folder / TABLE, table.to_csv(index=False))
    return table


def _measured(measure: Callable[[torch.device], Sequence[Row]], device: torch.device, _: Report) -> list[Row]:
    return [dict(row) for row in measure(device)]


def score_columns(result: Evaluation | Result) -> dict[str, float]:
    """Return the columns of a score in percent: ``score, low, high``."""
    return {"score": result.score, "low": result.low, "high": result.high}


def over_seeds(rows: pd.DataFrame) -> tuple[float, float, float]:
    """Return the mean ``score`` of rows, one for each seed, and the ends of its 95% interval.

    The interval covers Student's t over the seeds and, added as a variance, the mean noise of the test sets.
    """
    below, above = rows["score"] - rows["low"], rows["high"] - rows["score"]
    return over_draws([list(rows["score"])], float(below.mean()), float(above.mean()))


def with_interval(score: float, low: float, high: float) -> str:
    """Return a score and its interval for a table: ``71.2 [70.1, 72.3]``."""
    return f"{score:.1f} [{low:.1f}, {high:.1f}]"


def check_positive(options: Mapping[str, int]) -> None:
    """Raise `FewshotError` for the first option below 1."""
    for name, value in options.items():
        if value < 1:
            raise FewshotError(f"{name} is {value}; it must be at least 1")
