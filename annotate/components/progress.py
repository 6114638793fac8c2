"""The bar that shows how much of a project is done."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.language import _
from annotate.store import TaskProgress


def show(rows: Sequence[TaskProgress]) -> None:
    """Draw how many of all drawn items are done."""
    total, done = sum(row.total for row in rows), sum(row.done for row in rows)
    text = _("{done} of {all} done", done=done, all=total) if total else _("nothing drawn yet")
    st.progress(done / total if total else 0.0, text=f":small[{text}]")
