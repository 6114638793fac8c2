"""Write the tables of the README from the results beside this file: ``python docs/tables.py`` prints them.

``measured/few_shot/TASK.csv`` is what ``fewshot compare RUN... --table`` wrote of the runs that ``measured/README.md``
names. No figure is typed by hand.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

MEASURED = Path(__file__).parent / "measured"
TASKS = {"pos": "tags, accuracy", "dep": "trees, LAS", "ner": "entities, F1"}
LANGS = ("sv", "fi", "tr", "zh", "ar", "ja")
METHODS = {"full": "", "lauscher2020": ", `lauscher2020`"}


def few_shot() -> str:
    """Return the table of scores after k sentences as Markdown: a row for each task, k and method."""
    rows = ["| | " + " | ".join(LANGS) + " |", "|---|" + "---|" * len(LANGS)]
    for task, title in TASKS.items():
        found = _points(MEASURED / "few_shot" / f"{task}.csv")
        for k, method in sorted({(k, method) for _, k, method in found}, key=lambda row: (row[0], row[1] != "full")):
            cells = [found.get((lang, k, method), "") for lang in LANGS]
            if any(cells):
                name = f"{title}, zero-shot" if k == 0 else f"k = {k}{METHODS[method]}"
                rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def _points(file: Path) -> dict[tuple[str, int, str], str]:
    """Return score and interval of each language, k and method; zero-shot is that of any method."""
    return {(row["test set"], int(row["k"]), method): _cell(row) for row, method in _rows(file)}


def _rows(file: Path) -> Iterator[tuple[dict[str, str], str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            own = "lauscher2020" in row["curve"].split()
            yield row, "lauscher2020" if own and row["k"] != "0" else "full"


def _cell(row: dict[str, str]) -> str:
    score, low, high = (f"{float(row[name]):.1f}" for name in ("score", "low", "high"))
    return score if row["k"] == "0" else f"{score} [{low}, {high}]"


if __name__ == "__main__":
    sys.stdout.write(few_shot())
