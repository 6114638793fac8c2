"""Change all hits of a search: the change, a preview with check marks, and earlier changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from annotate.components import frame, terms
from annotate.language import _, gettext_noop, ngettext, written
from annotate.search import changes, context, settings
from annotate.search.changes import BulkChangeResult, ChangePreview, Proposal
from annotate.search.queries import Hit, SearchResult
from annotate.search.settings import Change, Setting
from annotate.store import BulkChange, Project
from fewshot.corpora.patterns import Deadline

MAX_LISTED = 5
"""Number of the newest changes that are listed with an undo button."""

CHECKED = "change"
"""Name of the column with check marks."""

PREVIEW = "preview"
"""Session key of the preview."""

FEATURES = gettext_noop("`Case=Nom|Number=Sing` sets two features and keeps the others; `Case=` removes one")
"""Help for the field of features."""

DONE = "changed"
"""Session key of the message about the last change."""


def propose(
    project: Project, result: SearchResult, look: Callable[[Deadline], Iterable[Hit]], column: str = ""
) -> None:
    """Draw the fields for a change, its preview, and the button that makes it.

    Args:
        look: finds the hits again where there are more than were kept.
        column: that is offered first.
    """
    columns = [column for column in changes.columns(project) if _can_be_set(column, result)]
    if not result.hits or not (columns or result.rule):
        return
    with st.expander(_("Change all"), icon=":material/find_replace:", expanded=result.rule is not None):
        change: Change | None = result.rule or _setting(project, result.nodes, columns, column)
        if result.rule:
            st.code(result.rule.text, language=None, wrap_lines=True)
        if change is None:
            st.caption(_("Choose what to set; a preview follows."))
            return
        me, curates = frame.user().name, frame.may_curate()
        preview, cut_off = _preview(project, result, change, look)
        chosen = _chosen(preview.proposals, change)
        _left(preview, cut_off)
        title = ngettext("Change {number} place", "Change {number} places", len(chosen))
        if st.button(title, type="primary", disabled=not chosen):
            outcome = changes.carry_out(frame.store(), project, chosen, change, me, curates)
            _again(_said(outcome, _("{things} changed", things=terms.counted(outcome.changed, project.kind))))


def said() -> bool:
    """Draw the message about a change that was just made, and return whether there is one."""
    message = st.session_state.pop(DONE, None)
    if message:
        st.success(message)
    return message is not None


def change(project: Project, hit: Hit, setting: Setting, title: str) -> None:
    """Draw the button that makes a change in one place, or why it cannot be made."""
    me, curates = frame.user().name, frame.may_curate()
    proposals = list(changes.propose(project, [hit], setting, me, curates))
    refused = " ".join(frame.plain(proposal.refused) for proposal in proposals)
    if st.button(title, icon=":material/edit:", disabled=bool(refused), help=refused or None):
        outcome = changes.carry_out(frame.store(), project, proposals, setting, me, curates)
        _again(_said(outcome, _("{things} changed", things=terms.counted(outcome.changed, project.kind))))


def made(project: Project) -> None:
    """Draw recent changes with undo buttons."""
    me, curates = frame.user().name, frame.may_curate()
    recent = frame.store().changes(project.id, None if curates else me, MAX_LISTED)
    if not recent:
        return
    st.caption(_("CHANGES"))
    for change in recent:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_change(project, change))
            if change.undone:
                st.caption(_("taken back"))
            elif st.button(_("Undo"), key=f"undo {change.name}", icon=":material/undo:", type="tertiary"):
                outcome = changes.undo(frame.store(), project, change, me, curates)
                _again(_said(outcome, _("{things} restored", things=terms.counted(outcome.changed, project.kind))))


def _can_be_set(column: str, result: SearchResult) -> bool:
    if column == "label":
        return True
    if column == "entities":
        return any(hit.span for hit in result.hits)
    return len(result.nodes) > (column == "heads") and any(hit.words for hit in result.hits)


def _setting(project: Project, nodes: Sequence[str], columns: Sequence[str], first: str) -> Setting | None:
    column_field, which, target = st.columns(3)
    place = columns.index(first) if first in columns else 0
    column = column_field.selectbox(_("Set"), columns, place, format_func=lambda name: _(settings.COLUMNS[name]))
    node = "" if column in ("entities", "label") else which.selectbox(_("of the word"), nodes)
    if column == "heads":
        value = target.selectbox(_("to the word"), [name for name in nodes if name != node], None)
    else:
        help = FEATURES if column == "feats" else None
        value = target.selectbox(
            _("to"), changes.choices(project, column), None, help=help and _(help),
            accept_new_options=column in settings.FREE_TEXT_COLUMNS,
        )  # fmt: skip
    return Setting(node, column, value.strip()) if value else None


def _preview(
    project: Project, result: SearchResult, change: Change, look: Callable[[Deadline], Iterable[Hit]]
) -> tuple[ChangePreview, bool]:
    """Return the preview of a change, and whether the search was cut off; cached for the same change."""
    kept = st.session_state.get(PREVIEW)
    if kept is None or kept[0] is not result or kept[1] != change:
        deadline = Deadline(result.seconds)
        hits = result.hits if result.whole else look(deadline)
        with st.spinner(_("Searching for possible changes ...")):
            preview = changes.preview(project, hits, change, frame.user().name, frame.may_curate())
        kept = st.session_state[PREVIEW] = result, change, preview, deadline.over and not result.whole
    return kept[2], kept[3]


def _chosen(proposals: Sequence[Proposal], change: Change) -> list[Proposal]:
    """Draw the proposed changes and return the checked ones."""
    if not proposals:
        return []
    rows = [
        {
            CHECKED: True,
            _("text"): _marked(proposal),
            _("word"): _words(proposal),
            _("now"): proposal.before,
            _("then"): proposal.after,
            _("annotator"): proposal.hit.version.annotator or "",
        }
        for proposal in proposals
    ]
    fixed = [name for name in rows[0] if name != CHECKED]
    key = f"preview {change.text} {hash(tuple(map(str, rows)))}"
    edited = st.data_editor(
        rows, hide_index=True, disabled=fixed, key=key, height=min(400, 35 * (len(rows) + 1) + 3),
        column_config={CHECKED: st.column_config.CheckboxColumn(_("change"), width="small")},
    )  # fmt: skip
    return [proposal for proposal, row in zip(proposals, edited, strict=True) if row[CHECKED]]


def _words(proposal: Proposal) -> str:
    return " ".join(proposal.hit.version.example.words[word - 1] for word in proposal.words)


def _marked(proposal: Proposal) -> str:
    """Return the text with brackets around the words that change, or around what was found."""
    hit = proposal.hit
    if not proposal.words:
        return f"{hit.before}⟦{hit.text}⟧{hit.after}"
    return context.bracketed(hit.version.example, proposal.words)


def _left(preview: ChangePreview, cut_off: bool) -> None:
    """Draw which places are not changed."""
    if preview.more:
        first = written(len(preview.proposals))
        st.caption(
            _("Only the first {number} are listed. When you change these, the next ones appear here.", number=first)
        )
    elif cut_off:
        st.caption(_("The search stopped early; there may be more hits."))
    if preview.refused:
        why = Counter(preview.refused).most_common(4)
        reasons = "; ".join(f"{written(count)} {frame.plain(reason)}" for reason, count in why)
        st.caption(_("Not changed: {reasons}", reasons=reasons))


def _said(outcome: BulkChangeResult, done: str) -> str:
    parts = [done]
    if outcome.left:
        parts.append(
            _("{number} are not changed, since they were saved or reviewed meanwhile", number=written(outcome.left))
        )
    if outcome.refused:
        refused = written(outcome.refused)
        parts.append(_("{number} are not changed, since all changes together would make them invalid", number=refused))
    return "; ".join(parts)


def _again(message: str) -> None:
    """Forget all cached searches, and draw the page with a message."""
    st.session_state[DONE] = message
    for kept in ("found", "report", "places", PREVIEW):
        st.session_state.pop(kept, None)
    st.rerun()


def _change(project: Project, change: BulkChange) -> str:
    count, when = terms.counted(change.items, project.kind), frame.moment(change.created)
    return frame.plain(f"{changes.title(change)}: {count}, {change.author}, {when}")
