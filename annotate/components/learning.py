"""What the model has learned during annotation, and a small curve of the accuracy of its suggestions."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.components import frame, terms
from annotate.language import _
from annotate.rounds import effort
from annotate.store import ENCODER, SUGGESTERS, Item, Project
from annotate.worker import queue

MAX_BARS = 12
"""Maximum number of bars; with more sentences, each bar is the mean of several."""

MIN_EXAMPLES = 4
"""Number of finished examples from which the curve is drawn."""


def show(project: Project, item: Item) -> None:
    """Draw how many sentences the model has learned from; looked up for each item and when it is done."""
    if not project.learns or ENCODER not in SUGGESTERS[project.suggester]:
        return
    key, store = (item.id, item.status), frame.store()
    learned = frame.once("learned", key, lambda: queue.last_learning(store, project.id, item.task))
    if learned is None:
        return
    number, ended = learned
    time = frame.duration(max(0.0, (store.clock() - ended).total_seconds()))
    things = terms.counted(number, project.kind)
    annotator = item.annotator or ""
    shares = frame.once("right", key, lambda: effort.accepted_shares(store, project.id, item.task, annotator))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(_("The model learned from {things}, {time} ago.", things=things, time=time), width="content")
        if len(shares) >= MIN_EXAMPLES:
            _draw(shares)


def _draw(shares: Sequence[float]) -> None:
    """Draw a bar for each group of examples with the mean share of right suggestions."""
    size = -(-len(shares) // MAX_BARS)
    parts = [shares[start : start + size] for start in range(0, len(shares), size)]
    groups = [sum(part) / len(part) for part in parts]
    figures = {"number": len(shares), "first": f"{groups[0]:.0%}", "last": f"{groups[-1]:.0%}"}
    said = _("Correct suggestions in your last {number}: from {first} to {last}", **figures)
    bars = "".join(
        f'<span style="width: 6px; height: {max(2, round(18 * share))}px; background: currentColor"></span>'
        for share in groups
    )
    style = "display: inline-flex; align-items: flex-end; gap: 2px; height: 18px; opacity: 0.6"
    st.html(f'<div role="img" aria-label="{said}" title="{said}" style="{style}">{bars}</div>', width="content")
    st.caption(said, width="content")
