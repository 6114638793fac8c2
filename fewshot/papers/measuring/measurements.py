"""The measurements that an analysis is made of, each on disk before the next begins."""

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
from fewshot.experiments.executors.place import Place
from fewshot.experiments.jobs import Job, do_missing
from fewshot.experiments.machine import PROCESS_BYTES
from fewshot.experiments.plan import digest
from fewshot.progress import Report

CELLS, TABLE = "cells.jsonl", "table.csv"
"""Names of the files in the folder of an analysis: what resumes it, and all that was measured, for further use."""

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
    """Measure what the folder does not hold yet.

    Args:
        cells: in the order of the table, no two of the same names.
        folder: takes ``cells.jsonl`` and ``table.csv``; made if need be.
        place: where.
        report: told when a measurement begins or ends.
        process_bytes: memory that a process takes for it.

    Returns:
        A line for each row of each cell, in order; columns are the names and what was measured.

    Raises:
        FewshotError: when the folder cannot be written, another process works in it, or a line of it is damaged.
    """
    wanted = list(cells)
    path = folder / CELLS
    jobs = [Job(str(cell), cell.key, partial(_measured, cell.measure)) for cell in wanted]
    by_key = {cell.key: cell for cell in wanted}

    def keep(job: Job[list[Row]], rows: list[Row]) -> None:
        journal.append(path, {"cell": job.key, **by_key[job.key].names, "rows": rows})

    with journal.writing(path):
        done = _read(path)
        do_missing(jobs, done, keep, place, report, process_bytes)
    table = pd.DataFrame([{**cell.names, **row} for cell in wanted for row in done[cell.key]])
    write_text(folder / TABLE, table.to_csv(index=False))
    return table


def _measured(measure: Callable[[torch.device], Sequence[Row]], device: torch.device, _: Report) -> list[Row]:
    return [dict(row) for row in measure(device)]


def over_seeds(rows: pd.DataFrame) -> tuple[float, float, float]:
    """Return the mean ``score`` of rows, one a seed, and the ends of its 95% interval.

    It holds Student's t over the seeds and, added as a variance, the mean noise of the test sets, ``low`` to ``high``.
    """
    below, above = rows["score"] - rows["low"], rows["high"] - rows["score"]
    return over_draws([list(rows["score"])], float(below.mean()), float(above.mean()))


def _read(path: Path) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for number, line in journal.read(path):
        where = f"{path}:{number}: no measurement of fewshot"
        values = records.parse(line, Measured, where, "remove this line and it is repeated")
        found[values["cell"]] = list(values["rows"])
    return found
