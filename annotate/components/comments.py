"""Flags and comments of a project in one table, and an answer to them: a part of the review page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from annotate.components import frame, terms
from annotate.editing import content, view
from annotate.language import _, written
from annotate.quality import comments
from annotate.quality.comments import Thread
from annotate.store import Comment, Item, Project

MAX_TEXT = 60
"""Most characters of a text or a comment in the table."""

MAX_LISTED = 200
"""Most rows of the table."""

HEIGHT = 215
"""Height of the table in pixels: five rows; with more it scrolls."""

LINES = 80
"""Height of the field for an answer, in pixels: two lines."""


@st.fragment(run_every=frame.A_DAY)
@frame.trouble()
def show(project: Project) -> None:
    """Draw the table, and of the row that is chosen all that was said and saved."""
    if not frame.may_curate():
        return
    threads = comments.threads(frame.store(), project)
    if not threads:
        st.caption(_("No flags and no comments."))
        return
    count = f"{len(threads)}"
    if len(threads) > MAX_LISTED:
        count = _("{done} of {all}", done=MAX_LISTED, all=written(len(threads)))
    st.caption(_("FLAGS AND COMMENTS ({count})", count=count))
    chosen = _chosen(project, threads[:MAX_LISTED])
    if chosen is not None:
        _thread(project, chosen)


def said(comments: Iterable[Comment]) -> None:
    """Draw who said what and when."""
    for comment in comments:
        with st.container(gap="xxsmall"):
            about = f" · {frame.plain(comment.about)}" if comment.about else ""
            st.caption(f"{frame.plain(comment.author)}, {frame.moment(comment.created)}{about}")
            st.text(comment.text)


def _chosen(project: Project, threads: Sequence[Thread]) -> Thread | None:
    """Draw the table and return the row that is chosen; it stays so where an answer puts it elsewhere."""
    order = [(thread.example_id, thread.task) for thread in threads]
    place = f"thread {project.id}"
    before = st.session_state.get(place)
    texts = view.texts(frame.store(), project, (thread.example_id for thread in threads))
    table = st.dataframe(
        [_row(thread, texts[thread.example_id]) for thread in threads],
        hide_index=True,
        height=HEIGHT if len(threads) > 5 else "auto",
        key=f"threads {project.id} {hash(tuple(order))}",
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [order.index(before)]}} if before in order else None,
        placeholder="",
        column_config={_("when"): st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm")},
    )
    rows = table.selection.rows
    chosen = threads[rows[0]] if rows else None
    st.session_state[place] = order[rows[0]] if rows else None
    return chosen


def _row(thread: Thread, text: str) -> dict[str, object]:
    newest = thread.comments[-1] if thread.comments else None
    return {
        _("text"): view.beginning(text, MAX_TEXT),
        _("task"): terms.task(thread.task),
        _("annotator"): ", ".join(thread.annotators),
        _("flagged"): ", ".join(f"⚑ {item.annotator or '?'}" for item in thread.flagged),
        _("newest comment"): f"{newest.author}: {view.beginning(newest.text, MAX_TEXT)}" if newest else "",
        _("when"): newest.created if newest else None,
    }


def _thread(project: Project, thread: Thread) -> None:
    """Draw what was said and saved, and what a curator can do about it."""
    (row,) = frame.store().examples(project.id, ids=[thread.example_id])
    example = content.from_json(row.content)
    saved = comments.compare(frame.store(), thread, example)
    with st.container(border=True):
        left, right = st.columns(2, gap="medium")
        left.text(view.whole(example))
        if saved:
            left.dataframe(saved, hide_index=True, height="auto")
        else:
            left.caption(_("Nothing is saved yet."))
        with right:
            _answer(project, thread)


def _answer(project: Project, thread: Thread) -> None:
    """Draw the comments, and below them what a curator can do."""
    me = frame.user().name
    said(thread.comments)
    answered = st.session_state.setdefault("answered", 0)  # what others say meanwhile leaves the field as it is
    name = f"{thread.example_id} {thread.task} {answered}"
    text = st.text_area(
        _("Answer"), key=f"answer {name}", label_visibility="collapsed", placeholder=_("Answer"), height=LINES,
        persist_state="page",
    ).strip()  # fmt: skip
    with st.container(horizontal=True):
        if st.button(_("Answer"), icon=":material/chat:") and text:
            frame.store().add_comment(thread.example_id, thread.task, me, text)
            st.session_state["answered"] = answered + 1
            st.session_state.pop("comments", None)  # those that the annotate page shows
            st.rerun(scope="fragment")
        if thread.flagged and st.button(_("Remove the flag"), icon=":material/flag:"):
            comments.unflag(frame.store(), thread)
            st.rerun(scope="fragment")
        for item in thread.items:
            if item.status == "done" and item.annotator != me:
                _reopen(item)
            if item.annotator == me:
                st.link_button(_("Open"), f"annotate?project={project.id}&item={item.id}", icon=":material/edit_note:")


def _reopen(item: Item) -> None:
    """Draw the button that gives somebody back what they called done."""
    title = _("Reopen for {person}", person=frame.plain(item.annotator or ""))
    if st.button(title, icon=":material/lock_open:", key=f"reopen {item.id}"):
        frame.store().reopen(item.id)
        st.rerun(scope="fragment")
