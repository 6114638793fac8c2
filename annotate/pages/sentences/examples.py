"""The table of a project's examples, a page at a time, and what is shown of one that is chosen."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import streamlit as st

from annotate.components import fields, frame
from annotate.editing import content, view
from annotate.quality import comments
from annotate.search import remarks
from annotate.store import Item, Listed, Project, Wanted

ROWS = 100
"""Of a page."""

SHOWN = 120
"""Most characters of a text in the table."""

MARKS = {"open": "open", "skipped": "put aside", "done": "✓ done"}
ORDERS = {
    "place in the file": "position",
    "length, shortest": "shortest",
    "length, longest": "longest",
    "last saved": "newest",
}
"""What examples may be sorted by, see `annotate.store.search.ORDERS`."""


def show(project: Project, wanted: Wanted, order: str) -> None:
    """Draw the table."""
    total = frame.store().count(project.id, wanted)
    if not total:
        st.info("Nothing of this kind.")
        return
    pages = ceil(total / ROWS)
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    page = right.number_input("Page", 1, pages, key=f"page {project.id} {wanted} {order}") if pages > 1 else 1
    rows = frame.store().listed(project.id, wanted, order, (int(page) - 1) * ROWS, ROWS)
    first = (int(page) - 1) * ROWS + 1
    left.caption(
        f"{first:,} to {first + len(rows) - 1:,} of {total:,}. A click opens what is yours on the page Annotate."
    )
    more = remarks.beside(frame.store(), rows, wanted.task, frame.may_curate())
    table = [_row(one, *more[place]) for place, one in enumerate(rows)]
    chosen = choose(table, f"examples {project.id} {wanted} {order} {page}")
    if chosen is not None:
        open_or_show(project, wanted.task, rows[chosen].example.id, rows[chosen].item)


def choose(rows: Sequence[dict[str, object]], key: str, column_config: Mapping[str, Any] | None = None) -> int | None:
    """Draw a table and return the number of the row that was clicked."""
    filled = {name for row in rows for name, value in row.items() if value not in ("", None, 0)}
    shown = [{name: value for name, value in row.items() if name in filled} for row in rows]
    config = {"confidence": st.column_config.NumberColumn(format="%.0f%%"), **(column_config or {})}
    table = st.dataframe(
        shown, hide_index=True, key=key, on_select="rerun", selection_mode="single-cell", column_config=config,
        height=min(600, 35 * (len(rows) + 1) + 3), placeholder="",
    )  # fmt: skip
    cells = table.selection.cells
    return int(cells[0][0]) if cells else None


def open_or_show(project: Project, task: str, example_id: int, item: Item | None) -> None:
    """Open an item of whoever is here on the page Annotate; of somebody else's draw the text and what is saved."""
    if item is not None and item.annotator == frame.user().name:
        fields.open_item(project, item)
    (row,) = frame.store().examples(project.id, ids=[example_id])
    example = content.from_json(row.content)
    with st.container(border=True):
        st.text(view.whole(example))
        if item is None:
            st.caption("Not drawn yet: nobody annotates it.")
            return
        about = comments.Thread(example_id, task, (item,), ())
        saved = comments.beside(frame.store(), about, example)
        if saved:
            st.dataframe(saved, hide_index=True, height="auto")
        else:
            st.caption(f"{frame.plain(item.annotator or 'Nobody')} has saved nothing yet.")


def _row(one: Listed, confidence: float | None, disputed: bool) -> dict[str, object]:
    text = view.text(content.from_json(one.example.content))
    return {
        "text": textwrap.shorten(text, SHOWN, placeholder=" …"),
        "length": one.example.length,
        "part": {"shots": "", "test": "test set"}[one.item.purpose] if one.item else "",
        "status": MARKS[one.item.status] if one.item else "not drawn yet",
        "annotator": (one.item.annotator or "") if one.item else "",
        "flag": "⚑" if one.item and one.item.flagged else "",
        "comments": one.comments or None,
        "confidence": confidence,
        "differs": "≠" if disputed else "",
        "id": one.example.key,
    }
