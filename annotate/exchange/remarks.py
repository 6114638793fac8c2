"""Flags and comments of a project as a table."""

from __future__ import annotations

import csv
import io

from annotate.quality import comments
from annotate.store import Project, Store
from fewshot.reports.tables import escape_formula

FORMAT = "remarks"
"""Name of the format among the formats of an export."""

TITLE, SUFFIX = "flags and comments (TSV)", ".tsv"

COLUMNS = ("id", "task", "flagged by", "author", "when", "about", "comment")


def table(store: Store, project: Project) -> tuple[str, int]:
    """Return tab-separated values with a row for each comment or bare flag, and their number.

    ``id`` is the id of the example in its file; times are in UTC. A cell that spreadsheets would take for a formula
    begins with an apostrophe.
    """
    threads = comments.threads(store, project)
    ids = {row.id: row.key for row in store.examples(project.id, ids={thread.example_id for thread in threads})}
    rows = []
    for thread in reversed(threads):  # oldest first
        flagged = ", ".join(item.annotator or "?" for item in thread.flagged)
        cells = [(each.author, f"{each.created:%Y-%m-%d %H:%M}", each.about, each.text) for each in thread.comments]
        rows += [(ids[thread.example_id], thread.task, flagged, *each) for each in cells or [("",) * 4]]
    file = io.StringIO()
    csv.writer(file, "excel-tab", lineterminator="\n").writerows([COLUMNS, *(map(escape_formula, row) for row in rows)])
    return file.getvalue(), len(rows)
