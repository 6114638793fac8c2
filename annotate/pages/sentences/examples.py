"""The paged table of a project's examples, and the details of the chosen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import streamlit as st

from annotate.components import fields, frame
from annotate.editing import content, view
from annotate.language import _, gettext_noop, written
from annotate.quality import comments
from annotate.rounds.draw import take
from annotate.search import remarks
from annotate.store import TEST, ExampleFilter, Item, ListedExample, Project

ROWS = 100
"""Rows of a page."""

MAX_TEXT = 120
"""Maximum characters of a text in the table."""

MARKS = {"open": gettext_noop("open"), "skipped": gettext_noop("skipped"), "done": gettext_noop("✓ done")}
UNDRAWN = gettext_noop("not drawn yet")
ORDERS = {
    gettext_noop("place in the file"): "position",
    gettext_noop("length, shortest"): "shortest",
    gettext_noop("length, longest"): "longest",
    gettext_noop("last saved"): "newest",
}
"""Sort orders, see `annotate.store.search.ORDERS`."""


def show(project: Project, wanted: ExampleFilter, order: str) -> None:
    """Draw the table."""
    total = frame.store().count(project.id, wanted)
    if not total:
        st.info(_("No such sentence."))
        return
    pages = ceil(total / ROWS)
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    page = right.number_input(_("Page"), 1, pages, key=f"page {project.id} {wanted} {order}") if pages > 1 else 1
    rows = frame.store().list_examples(project.id, wanted, order, (int(page) - 1) * ROWS, ROWS)
    first = (int(page) - 1) * ROWS + 1
    range_ = {"first": written(first), "last": written(first + len(rows) - 1), "all": written(total)}
    left.caption(
        _("{first} to {last} of {all}. Click one of your own sentences to open it on the page Annotate.", **range_)
    )
    more = remarks.confidence_and_disputes(frame.store(), rows, wanted.task, frame.may_curate())
    table = [_row(row, *more[place]) for place, row in enumerate(rows)]
    chosen = choose(table, f"examples {project.id} {wanted} {order} {page}")
    if chosen is not None:
        open_or_show(project, wanted.task, rows[chosen].example.id, rows[chosen].item)


def choose(rows: Sequence[dict[str, object]], key: str, column_config: Mapping[str, Any] | None = None) -> int | None:
    """Draw a table and return the index of the clicked row."""
    filled = {name for row in rows for name, value in row.items() if value not in ("", None, 0)}
    shown = [{name: value for name, value in row.items() if name in filled} for row in rows]
    config = {_("confidence"): st.column_config.NumberColumn(format="%.0f%%"), **(column_config or {})}
    table = st.dataframe(
        shown, hide_index=True, key=key, on_select="rerun", selection_mode="single-cell", column_config=config,
        height=min(600, 35 * (len(rows) + 1) + 3), placeholder="",
    )  # fmt: skip
    cells = table.selection.cells
    return int(cells[0][0]) if cells else None


def open_or_show(project: Project, task: str, example_id: int, item: Item | None) -> None:
    """Open an own item on the page Annotate, or draw another person's saved annotation."""
    if item is not None and item.annotator == frame.user().name:
        fields.open_item(project, item)
    (row,) = frame.store().examples(project.id, ids=[example_id])
    example = content.from_json(row.content)
    with st.container(border=True):
        st.text(view.whole(example))
        if item is None:
            st.caption(_("Not drawn yet, so nobody annotates it."))
            if row.split != TEST and st.button(_("Annotate it"), type="primary", key=f"take {example_id}"):
                me = frame.user().name
                take(frame.store(), project, example_id, me)
                fields.open_item(project, frame.store().items(project.id, me, task, example_id=example_id)[0])
            return
        about = comments.Thread(example_id, task, (item,), ())
        saved = comments.compare(frame.store(), about, example)
        if saved:
            st.dataframe(saved, hide_index=True, height="auto")
        else:
            person = frame.plain(item.annotator or _("Nobody"))
            st.caption(_("{person} has saved nothing yet.", person=person))


def _row(listed: ListedExample, confidence: float | None, disputed: bool) -> dict[str, object]:
    text = view.text(content.from_json(listed.example.content))
    return {
        _("text"): view.beginning(text, MAX_TEXT),
        _("length"): listed.example.length,
        _("part"): {"shots": "", "test": _("test set")}[listed.item.purpose] if listed.item else "",
        _("status"): _(MARKS[listed.item.status] if listed.item else UNDRAWN),
        _("annotator"): (listed.item.annotator or "") if listed.item else "",
        _("flag"): "⚑" if listed.item and listed.item.flagged else "",
        _("comments"): listed.comments or None,
        _("confidence"): confidence,
        _("differs"): "≠" if disputed else "",
        "id": listed.example.key,
    }
