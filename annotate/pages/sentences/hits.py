"""What was found, as a concordance: each hit in its context (keyword in context)."""

from __future__ import annotations

from typing import Any

import streamlit as st

from annotate.components import frame
from annotate.editing.session import direction
from annotate.pages.sentences import examples
from annotate.search import queries
from annotate.search.queries import Found, Hit
from annotate.store import Project

LONGER = 6
"""Times as long a search takes that is asked to go on."""

FILTERS = "choose an annotator or a status above"
NARROWER = {
    queries.TEXT: FILTERS,
    queries.EXPRESSION: f"repeat nothing that is repeated itself, as (a+)+ does, or {FILTERS}",
    queries.PATTERN: "tie nodes together (X -> Y, X << Y, X.form = Y.form), give them a tag or a form, or " + FILTERS,
}
"""How to narrow what is looked for."""


def show(project: Project, task: str, found: Found) -> None:
    """Draw the hits; a click opens the example on the page Annotate, or shows what somebody else has saved."""
    if not found.total:
        st.info("Nothing found so far." if found.cut_off else "Nothing found.")
        return
    shown = len(found.hits)
    first = "" if shown == found.total else f"; the first {shown:,} are shown"
    count = f"**{frame.counted(found.total, 'hits')}** in {frame.counted(found.examples, project.kind)}"
    if not (found.complete or found.cut_off):
        count = f"more than **{found.total:,} hits**"
    st.caption(count + (" so far" if found.cut_off else "") + first)
    rows = [_row(hit, several=len(found.nodes) > 1) for hit in found.hits]
    if any(direction(hit.before + hit.found + hit.after) == "rtl" for hit in found.hits[:1]):
        rows = [_mirrored(row) for row in rows]
    chosen = examples.choose(rows, f"hits {project.id} {hash(tuple(map(str, rows)))}", _sides(rows))
    if chosen is not None:
        version = found.hits[chosen].version
        examples.open_or_show(project, task, version.row.id, version.item)


def cut_off(kind: str, found: Found) -> bool:
    """Draw that a search was cut off and how to narrow it; return whether to look for longer."""
    if not found.cut_off:
        return False
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"Cut off after {found.seconds:,.0f} s of computing. To get to the end, {NARROWER[kind]}.")
        return st.button(f"Look for {LONGER * found.seconds:,.0f} s", type="tertiary", icon=":material/hourglass_top:")


def _row(hit: Hit, several: bool) -> dict[str, object]:
    item, words = hit.version.item, getattr(hit.version.example, "words", ())
    named = " · ".join(f"{node} {words[word - 1] if word else 'root'}" for node, word in hit.words.items())
    return {
        "before": hit.before,
        "found": hit.found,
        "behind": hit.after,
        "words": named if several else "",
        "status": examples.MARKS[item.status] if item else "not drawn yet",
        "annotator": hit.version.annotator or "",
        "id": hit.version.row.key,
    }


_AROUND = ("before", "found", "behind")


def _mirrored(row: dict[str, object]) -> dict[str, object]:
    """Return a row of a script from right to left: what comes before stands on the right."""
    return {name: row[name] for name in ("behind", "found", "before", *(one for one in row if one not in _AROUND))}


def _sides(rows: list[dict[str, object]]) -> dict[str, Any]:
    """Return how the columns around a hit are aligned: towards it, but for what would be cut off there."""
    left, middle, right = (name for name in rows[0] if name in _AROUND)
    text = st.column_config.TextColumn
    sides = {left: text(alignment="right"), middle: text(alignment="center"), right: text(alignment="left")}
    if right == "before":  # tables draw a script from right to left out of a cell that begins at the left
        sides[right] = text()
    return sides
