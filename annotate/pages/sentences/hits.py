"""What was found, as a concordance: each hit in its context (keyword in context)."""

from __future__ import annotations

from typing import Any

import streamlit as st

from annotate.editing.session import direction
from annotate.pages.sentences import examples
from annotate.search.queries import Found, Hit
from annotate.store import Project


def show(project: Project, task: str, found: Found) -> None:
    """Draw the hits; a click opens the example on the page Annotate, or shows what somebody else has saved."""
    if not found.total:
        st.info("Nothing found.")
        return
    shown = len(found.hits)
    first = "" if shown == found.total and found.complete else f"; the first {shown:,} are shown"
    where = f"hits in {found.examples:,} {project.kind}"
    count = f"**{found.total:,}** {where}" if found.complete else f"more than **{found.total:,}** hits"
    st.caption(count + first)
    rows = [_row(hit, several=len(found.nodes) > 1) for hit in found.hits]
    if any(direction(hit.before + hit.found + hit.after) == "rtl" for hit in found.hits[:1]):
        rows = [_mirrored(row) for row in rows]
    chosen = examples.choose(rows, f"hits {project.id} {hash(tuple(map(str, rows)))}", _sides(rows))
    if chosen is not None:
        version = found.hits[chosen].version
        examples.open_or_show(project, task, version.row.id, version.item)


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
