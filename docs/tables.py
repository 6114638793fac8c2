"""Write the tables of scores from the results beside this file: ``python docs/tables.py`` writes them into their pages.

``measured/few_shot/TASK.csv`` is what ``fewshot compare RUN... --table`` wrote of the runs that ``measured/README.md``
names. No figure is typed by hand: a page has a marker above a table and one below it, and what stands between is made.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from statistics import fmean

DOCS = Path(__file__).resolve().parent
MEASURED = DOCS / "measured"
TASKS = {"pos": "tags, accuracy", "dep": "trees, LAS", "ner": "entities, F1"}
LANGS = ("sv", "fi", "tr", "zh", "ar", "ja")
METHODS = {"full": "", "lauscher2020": ", `lauscher2020`"}

TABLE = re.compile(r"(<!-- (\S+) table: python docs/tables\.py -->\n).*?(<!-- end of table -->)", re.S)
"""A table between its markers, the first of which names it."""

Points = Mapping[tuple[str, int, str], dict[str, str]]


def few_shot() -> str:
    """Return scores after k sentences as Markdown: a row for each task, k and method, a column for each language."""
    rows = ["| | " + " | ".join(LANGS) + " |", "|---|" + "---|" * len(LANGS)]
    for task, title in TASKS.items():
        found = points(task)
        for k, method in sorted({(k, method) for _, k, method in found}, key=lambda row: (row[0], row[1] != "full")):
            cells = [_cell(found[lang, k, method]) if (lang, k, method) in found else "" for lang in LANGS]
            if any(cells):
                name = f"{title}, zero-shot" if k == 0 else f"k = {k}{METHODS[method]}"
                rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def summary() -> str:
    """Return the means over the languages as Markdown, a row for each task, and what ten sentences bring."""
    rows = ["| | English alone | ten sentences | a hundred | what ten bring |", "|---|---:|---:|---:|---|"]
    for task, title in TASKS.items():
        found = points(task)
        scores = {
            k: [float(found[at]["score"]) for lang in LANGS if (at := (lang, k, "full")) in found] for k in (0, 10, 100)
        }
        means = [f"{fmean(of):.1f}" if len(of) == len(LANGS) else "–" for of in scores.values()]
        gains = sorted((after - before, lang) for before, after, lang in zip(scores[0], scores[10], LANGS, strict=True))
        (least, first), *_, (most, last) = gains
        rows.append(f"| {title} | {' | '.join(means)} | {least:+.1f} ({first}) to {most:+.1f} ({last}) |")
    return "\n".join(rows) + "\n"


@cache
def points(task: str) -> Points:
    """Return the row of each language, k and method; zero-shot is that of any method."""
    file = MEASURED / "few_shot" / f"{task}.csv"
    return {(row["test set"], int(row["k"]), method): row for row, method in _rows(file)}


def _rows(file: Path) -> Iterator[tuple[dict[str, str], str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            own = "lauscher2020" in row["curve"].split()
            yield row, "lauscher2020" if own and row["k"] != "0" else "full"


def _cell(row: dict[str, str]) -> str:
    score, low, high = (f"{float(row[name]):.1f}" for name in ("score", "low", "high"))
    return score if row["k"] == "0" else f"{score} [{low}, {high}]"


MADE: Mapping[str, Callable[[], str]] = {"few-shot": few_shot, "summary": summary}
"""Each table by the name in its marker."""

PAGES = (DOCS.parent / "README.md", MEASURED / "README.md")


def written(text: str) -> str:
    """Return a page with its tables made anew."""
    return TABLE.sub(lambda match: match[1] + MADE[match[2]]() + match[3], text)


if __name__ == "__main__":
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        if (after := written(before)) != before:
            page.write_text(after, encoding="utf-8")
            sys.stdout.write(f"{page.relative_to(DOCS.parent)}: written\n")
