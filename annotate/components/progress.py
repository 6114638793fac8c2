"""The bar that shows how much of a project is done."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.components import frame, terms
from annotate.language import _
from annotate.store import Project, TaskProgress


def show(project: Project, rows: Sequence[TaskProgress], annotator: str | None = None) -> None:
    """Draw how many of all drawn items are done, and how many examples in all tasks of the project.

    Args:
        annotator: whose items the rows count; None: everybody's.
    """
    total, done = sum(row.total for row in rows), sum(row.done for row in rows)
    text = _("{done} of {all} done", done=done, all=total) if total else _("nothing drawn yet")
    if total and len(project.tasks) > 1:
        whole = terms.counted(frame.store().finished_in(project.id, project.tasks, annotator), project.kind)
        text += " · " + _("{things} in all tasks", things=whole)
    st.progress(done / total if total else 0.0, text=f":small[{text}]")
