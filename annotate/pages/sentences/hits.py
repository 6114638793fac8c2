"""The hits of a search as a concordance (keyword in context)."""

from __future__ import annotations

from typing import Any

import streamlit as st

from annotate.components import terms
from annotate.editing.session import direction
from annotate.language import _, gettext_noop, ngettext, written
from annotate.pages.sentences import examples
from annotate.search import queries
from annotate.search.queries import Hit, SearchResult
from annotate.store import Project

LONGER_FACTOR = 6
"""Factor of the time limit for a search that was asked to go on."""

NARROWER = {
    queries.TEXT: gettext_noop(
        "The search stopped after {seconds} s. To search everything, choose an annotator or a status above."
    ),
    queries.EXPRESSION: gettext_noop(
        "The search stopped after {seconds} s. To search everything, avoid nested repetitions such "
        "as (a+)+, or choose an annotator or a status above."
    ),
    queries.PATTERN: gettext_noop(
        "The search stopped after {seconds} s. To search everything, connect the nodes (X -> Y, X << "
        "Y, X.form = Y.form), give them a tag or a form, or choose an annotator or a status above."
    ),
}
"""Messages about a search that was cut off, with advice to narrow it."""


def show(project: Project, task: str, result: SearchResult, quiet: bool = False) -> None:
    """Draw the hits; a click opens the example, or shows another person's annotation.

    Args:
        quiet: whether to say nothing if there are none, since a change has changed all.
    """
    if not result.total:
        if not quiet:
            st.info(_("Nothing found so far.") if result.cut_off else _("Nothing found."))
        return
    st.caption(_count(project, result))
    rows = [_row(hit, several=len(result.nodes) > 1) for hit in result.hits]
    if any(direction(hit.before + hit.text + hit.after) == "rtl" for hit in result.hits[:1]):
        rows = [_mirrored(row) for row in rows]
    chosen = examples.choose(rows, f"hits {project.id} {hash(tuple(map(str, rows)))}", _sides(rows))
    if chosen is not None:
        version = result.hits[chosen].version
        examples.open_or_show(project, task, version.row.id, version.item)


def _count(project: Project, result: SearchResult) -> str:
    """Return how many hits there are and how many are shown."""
    total, things = result.total, terms.counted(result.examples, project.kind)
    if result.cut_off:
        count = ngettext(
            "**{number} hit** in {things} so far", "**{number} hits** in {things} so far", total, things=things
        )
    elif result.complete:
        count = ngettext("**{number} hit** in {things}", "**{number} hits** in {things}", total, things=things)
    else:
        count = ngettext("more than **{number} hit**", "more than **{number} hits**", total)
    shown = len(result.hits)
    return count if shown == total else count + "; " + _("the first {number} are shown", number=written(shown))


def cut_off(kind: str, result: SearchResult) -> bool:
    """Draw that a search was cut off; return whether to search longer."""
    if not result.cut_off:
        return False
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(_(NARROWER[kind], seconds=written(result.seconds)))
        title = _("Search for {seconds} s", seconds=f"{LONGER_FACTOR * result.seconds:,.0f}")
        return st.button(title, type="tertiary", icon=":material/hourglass_top:")


def _row(hit: Hit, several: bool) -> dict[str, object]:
    item, words = hit.version.item, getattr(hit.version.example, "words", ())
    named = " · ".join(f"{node} {words[word - 1] if word else 'root'}" for node, word in hit.words.items())
    return {
        _("before"): hit.before,
        _("found"): hit.text,
        _("behind"): hit.after,
        _("words"): named if several else "",
        _("status"): _(examples.MARKS[item.status] if item else examples.UNDRAWN),
        _("annotator"): hit.version.annotator or "",
        "id": hit.version.row.key,
    }


def _around() -> tuple[str, str, str]:
    """Return the cells of a hit and its context."""
    return _("before"), _("found"), _("behind")


def _mirrored(row: dict[str, object]) -> dict[str, object]:
    """Return a row of a right-to-left script, with the context before the hit on the right."""
    around = _around()
    return {name: row[name] for name in (*reversed(around), *(name for name in row if name not in around))}


def _sides(rows: list[dict[str, object]]) -> dict[str, Any]:
    """Return the alignment of the columns around a hit."""
    left, middle, right = (name for name in rows[0] if name in _around())
    text = st.column_config.TextColumn
    sides = {left: text(alignment="right"), middle: text(alignment="center"), right: text(alignment="left")}
    if right == _("before"):  # tables draw a script from right to left out of a cell that begins at the left
        sides[right] = text()
    return sides
