"""Change all that was found: what is set, a preview with a check mark for each place, and changes made before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from annotate.components import frame, terms
from annotate.language import _, gettext_noop, ngettext
from annotate.search import changes
from annotate.search.changes import BulkChangeResult, ChangePreview, Proposal, Setting
from annotate.search.queries import Hit, SearchResult
from annotate.store import Change, Project
from fewshot.corpora.patterns import Deadline

SHOWN = 5
"""Changes that can be taken back from the list, the newest."""

CHECKED = "change"
"""The column of check marks."""

PREVIEW = "preview"
"""Where the places that can be changed are kept, with what they were found for."""

FEATURES = gettext_noop("`Case=Nom|Number=Sing` sets two features and leaves others, `Case=` takes one away")
"""What can be typed where features are set."""

DONE = "changed"
"""Where what came of a change is kept until it is shown."""


def propose(project: Project, found: SearchResult, look: Callable[[Deadline], Iterable[Hit]], column: str = "") -> None:
    """Draw the fields for a change, its preview, and the button that makes it.

    Args:
        look: finds the hits again where there are more than were kept.
        column: that is offered first.
    """
    columns = [column for column in changes.columns(project) if _can_be_set(column, found)]
    if not found.hits or not columns:
        return
    with st.expander(_("Change all"), icon=":material/find_replace:"):
        setting = _setting(project, found.nodes, columns, column)
        if setting is None:
            st.caption(_("Choose what is to be set; a preview follows."))
            return
        me, curates = frame.user().name, frame.may_curate()
        preview, cut_off = _preview(project, found, setting, look)
        chosen = _chosen(preview.proposals, setting)
        _left(preview, cut_off)
        title = ngettext("Change {number} place", "Change {number} places", len(chosen))
        if st.button(title, type="primary", disabled=not chosen):
            outcome = changes.carry_out(frame.store(), project, chosen, setting, me, curates)
            _again(_said(outcome, _("{things} changed", things=terms.counted(outcome.changed, project.kind))))


def made(project: Project) -> None:
    """Draw what came of the newest change, and the changes of whoever is here, or of all, to take back."""
    if said := st.session_state.pop(DONE, None):
        st.success(said)
    me, curates = frame.user().name, frame.may_curate()
    found = frame.store().changes(project.id, None if curates else me, SHOWN)
    if not found:
        return
    st.caption(_("CHANGES"))
    for change in found:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_change(project, change))
            if change.undone:
                st.caption(_("taken back"))
            elif st.button(_("Undo"), key=f"undo {change.name}", icon=":material/undo:", type="tertiary"):
                outcome = changes.undo(frame.store(), project, change, me, curates)
                _again(_said(outcome, _("{things} as before", things=terms.counted(outcome.changed, project.kind))))


def _can_be_set(column: str, found: SearchResult) -> bool:
    if column == "label":
        return True
    if column == "entities":
        return any(hit.span for hit in found.hits)
    return len(found.nodes) > (column == "heads") and any(hit.words for hit in found.hits)


def _setting(project: Project, nodes: Sequence[str], columns: Sequence[str], first: str) -> Setting | None:
    what, of, to = st.columns(3)
    place = columns.index(first) if first in columns else 0
    column = what.selectbox(_("Set"), columns, place, format_func=lambda one: _(changes.COLUMNS[one]))
    node = "" if column in ("entities", "label") else of.selectbox(_("of the word"), nodes)
    if column == "heads":
        value = to.selectbox(_("to the word"), [one for one in nodes if one != node], None)
    else:
        help = FEATURES if column == "feats" else None
        value = to.selectbox(
            _("to"), changes.choices(project, column), None, help=help and _(help),
            accept_new_options=column in changes.FREE_TEXT_COLUMNS,
        )  # fmt: skip
    return Setting(node, column, value.strip()) if value else None


def _preview(
    project: Project, found: SearchResult, setting: Setting, look: Callable[[Deadline], Iterable[Hit]]
) -> tuple[ChangePreview, bool]:
    """Return what can be changed, and whether the search for it was cut off; the same question is answered once."""
    kept = st.session_state.get(PREVIEW)
    if kept is None or kept[0] is not found or kept[1] != setting:
        deadline = Deadline(found.seconds)
        hits = found.hits if found.whole else look(deadline)
        with st.spinner(_("Looking for what can be changed ...")):
            preview = changes.preview(project, hits, setting, frame.user().name, frame.may_curate())
        kept = st.session_state[PREVIEW] = found, setting, preview, deadline.over and not found.whole
    return kept[2], kept[3]


def _chosen(proposals: Sequence[Proposal], setting: Setting) -> list[Proposal]:
    """Draw what would change, and return what is checked."""
    if not proposals:
        return []
    rows = [
        {
            CHECKED: True,
            _("text"): _marked(one),
            _("word"): _words(one),
            _("now"): one.before,
            _("then"): one.after,
            _("annotator"): one.hit.version.annotator or "",
        }
        for one in proposals
    ]
    fixed = [name for name in rows[0] if name != CHECKED]
    key = f"preview {setting} {hash(tuple(map(str, rows)))}"
    edited = st.data_editor(
        rows, hide_index=True, disabled=fixed, key=key, height=min(400, 35 * (len(rows) + 1) + 3),
        column_config={CHECKED: st.column_config.CheckboxColumn(_("change"), width="small")},
    )  # fmt: skip
    return [one for one, row in zip(proposals, edited, strict=True) if row[CHECKED]]


def _words(one: Proposal) -> str:
    first, last = one.span
    return " ".join(one.hit.version.example.words[first - 1 : last]) if last else ""


def _marked(one: Proposal) -> str:
    return f"{one.hit.before}⟦{one.hit.found}⟧{one.hit.after}"


def _left(preview: ChangePreview, cut_off: bool) -> None:
    """Say what is not among the places that are changed."""
    if preview.more:
        first = f"{len(preview.proposals):,}"
        st.caption(_("The first {number} of more: change these, and the next ones stand here.", number=first))
    elif cut_off:
        st.caption(_("The search was cut off: there may be more."))
    if preview.refused:
        why = Counter(preview.refused).most_common(4)
        reasons = "; ".join(f"{count:,} {frame.plain(reason)}" for reason, count in why)
        st.caption(_("These stay as they are: {reasons}", reasons=reasons))


def _said(outcome: BulkChangeResult, done: str) -> str:
    parts = [done]
    if outcome.left:
        parts.append(_("{number} stay, since they were saved or decided meanwhile", number=f"{outcome.left:,}"))
    if outcome.refused:
        refused = f"{outcome.refused:,}"
        parts.append(_("{number} stay, since all changes together would make them wrong", number=refused))
    return "; ".join(parts)


def _again(said: str) -> None:
    """Look for everything anew, and say what was done."""
    st.session_state[DONE] = said
    for kept in ("found", "report", "places", PREVIEW):
        st.session_state.pop(kept, None)
    st.rerun()


def _change(project: Project, change: Change) -> str:
    when = f"{change.created:%d %b %H:%M}"
    return frame.plain(f"{changes.title(change)}: {terms.counted(change.items, project.kind)}, {change.author}, {when}")
