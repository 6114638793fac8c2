"""The measurements that an analysis is made of, each on disk before the next begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import pandas as pd

from fewshot import records
from fewshot.corpora.files import write_text
from fewshot.curves import journal
from fewshot.curves.points import over_draws
from fewshot.experiments.plan import digest
from fewshot.progress import Progress, Report

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
        measure: does it; a row for each of its figures, such as one a layer.
    """

    names: Row
    identity: Any
    measure: Callable[[], Sequence[Row]]

    @property
    def key(self) -> str:
        """Equal exactly when nothing that decides the rows differs."""
        return digest([dict(self.names), self.identity])


def fill(cells: Iterable[Cell], folder: Path, report: Report) -> pd.DataFrame:
    """Measure what the folder does not hold yet.

    Args:
        cells: in the order of the table.
        folder: takes ``cells.jsonl`` and ``table.csv``; made if need be.
        report: told before each measurement how many are done, and what it is of.

    Returns:
        A line for each row of each cell, in order; columns are the names and what was measured.

    Raises:
        FewshotError: when the folder cannot be written, another process works in it, or a line of it is damaged.
    """
    wanted = list(cells)
    path = folder / CELLS
    with journal.writing(path):
        done = _read(path)
        kept = 0
        for number, cell in enumerate(wanted):
            if cell.key in done:
                kept += 1
            else:
                doing = ", ".join(f"{name} {value}" for name, value in cell.names.items())
                report(Progress(number, len(wanted), doing, kept=kept))
                rows = [dict(row) for row in cell.measure()]
                journal.append(path, {"cell": cell.key, **cell.names, "rows": rows})
                done[cell.key] = rows
    table = pd.DataFrame([{**cell.names, **row} for cell in wanted for row in done[cell.key]])
    write_text(folder / TABLE, table.to_csv(index=False))
    return table


def over_seeds(rows: pd.DataFrame) -> tuple[float, float, float]:
    """Return the mean ``score`` of rows, one a seed, and the ends of its 95% interval.

    It holds Student's t over the seeds and, added as a variance, the mean noise of the test sets, ``low`` to ``high``.
    """
    return over_draws([list(rows["score"])], float((rows["high"] - rows["low"]).mean()) / 2)


def _read(path: Path) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for number, line in journal.read(path):
        where = f"{path}:{number}: no measurement of fewshot"
        values = records.parse(line, Measured, where, "remove this line and it is repeated")
        found[values["cell"]] = values["rows"]
    return found
