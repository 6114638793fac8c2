"""Flags and comments of a project as a table: what annotators asked, beside the file that holds what they annotated."""

from __future__ import annotations

import csv
import io

from annotate.quality import comments
from annotate.store import Project, Store
from fewshot.reports.tables import escape_formula

FORMAT = "remarks"
"""What the format is called where one is chosen."""

TITLE, SUFFIX = "flags and comments (TSV)", ".tsv"

COLUMNS = ("id", "task", "flagged by", "author", "when", "about", "comment")


def table(store: Store, project: Project) -> tuple[str, int]:
    """Return tab-separated values, and how many rows they have: one for each comment, one where there is only a flag.

    ``id`` is that of the example in its file; times are in UTC. A cell that spreadsheets would compute begins with an
    apostrophe, which makes it text there.
    """
    threads = comments.threads(store, project)
    ids = {row.id: row.key for row in store.examples(project.id, ids={thread.example_id for thread in threads})}
    rows = []
    for thread in reversed(threads):  # oldest first
        flagged = ", ".join(item.annotator or "?" for item in thread.flagged)
        said = [(one.author, f"{one.created:%Y-%m-%d %H:%M}", one.about, one.text) for one in thread.comments]
        rows += [(ids[thread.example_id], thread.task, flagged, *one) for one in said or [("",) * 4]]
    file = io.StringIO()
    csv.writer(file, "excel-tab", lineterminator="\n").writerows([COLUMNS, *(map(escape_formula, row) for row in rows)])
    return file.getvalue(), len(rows)
