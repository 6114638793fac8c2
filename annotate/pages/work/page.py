"""The annotate page: the item, what stands above and below its editor, and what keys lead to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from annotate.components import editor, fields, frame, learning, recordings, terms
from annotate.editing import content, saving, session, view
from annotate.internals import forget_stale_widgets
from annotate.language import _, gettext_noop, written
from annotate.pages.work import finished, popovers
from annotate.store import REVIEW, SHOTS, TEST, Item, Project
from annotate.worker import queue
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.types import Sentence

THROUGH_TASKS = "by_example"
"""Key, also in the address, of the choice to finish an example in all tasks before the next one."""

REOPEN = gettext_noop("Mark as not done; it counts again when it is done")
NUMBERED = {
    "sentences": gettext_noop("Sentence {number}"),
    "pairs": gettext_noop("Pair {number}"),
    "documents": gettext_noop("Document {number}"),
    "articles": gettext_noop("Article {number}"),
}
"""Heading of an example by kind."""


def show() -> None:
    """Draw the page."""
    project = frame.opened_project()
    st.set_page_config(initial_sidebar_state="collapsed")
    _work(project)


@st.fragment(key=popovers.ITEM_FRAGMENT, run_every=frame.A_DAY)
@frame.trouble()
def _work(project: Project) -> None:
    """Draw the item; another item runs only this fragment again."""
    forget_stale_widgets()
    project = saving.project_of(frame.store(), project.scope)
    frame.require_member(project)
    name = _task(project)
    item = _item(project, name, frame.user().name)
    if item is None:
        finished.show(project, name)
        return
    head = st.container()
    with frame.store().snapshot():
        opened = session.open_item(frame.store(), project, frame.store().item(item.id))
    data = view.view(project, opened)
    data |= {"recording": recordings.heard(project, opened), "tasks": len(project.tasks)}
    editor.show(data, f"editor {project.id} {item.task}", partial(_move, project, item))
    with head:
        _head(project, opened)
    _context(opened)


def _task(project: Project) -> str:
    """Draw the choice of the task, which keeps the example, and of what comes after a finished example."""
    if len(project.tasks) == 1:
        return project.tasks[0]
    with st.container(horizontal=True, vertical_alignment="center"):
        task = fields.task(project, open_first=True, on_change=partial(_keep_example, project))
        st.session_state.setdefault(THROUGH_TASKS, st.query_params.get(THROUGH_TASKS) != "no")
        through_tasks = st.toggle(
            _("Example by example"), key=THROUGH_TASKS, persist_state="session",
            help=_("Ctrl+Enter leads to the next task of an example, and to the next example when all are done"),
        )  # fmt: skip
    if through_tasks:
        st.query_params.pop(THROUGH_TASKS, None)
    else:  # a reload keeps it
        st.query_params[THROUGH_TASKS] = "no"
    return task


def _keep_example(project: Project, before: str, task: str) -> None:
    """Show the example of the task before in another task, if whoever is here has it there."""
    with frame.trouble():
        shown, store, person = st.session_state.setdefault("shown", {}), frame.store(), frame.user().name
        if not (item_id := shown.get((project.id, before))):
            return
        project = saving.project_of(store, project.scope)
        frame.require_member(project)
        for left in store.items(project.id, annotator=person, item_id=item_id):
            if target := session.in_task(store, project, left, task):
                shown[project.id, task] = target.id
            store.release(item_id, person)


def _item(project: Project, task: str, annotator: str) -> Item | None:
    """Return the open item: the last shown one, the one of the link, or the next open one."""
    shown = st.session_state.setdefault("shown", {})
    place = (project.id, task)
    if place not in shown:
        shown[place] = frame.linked("item")
    item = session.start(frame.store(), project, task, annotator, shown[place])
    shown[place] = item.id if item else None
    if item:
        st.query_params["item"] = str(item.id)
    else:  # a reload would open the last item again
        st.query_params.pop("item", None)
    return item


def _head(project: Project, opened: session.OpenItem) -> None:
    item = opened.item
    mine = session.items(frame.store(), project, item.task, item.annotator or "")
    finished = sum(each.status == "done" for each in mine)
    done, actions = st.columns([1.2, 3], vertical_alignment="center")
    count = len(mine) + frame.store().unassigned(project.id, item.task, item.annotator or "")
    counts = {"done": finished, "all": count, "things": terms.kind(project.kind)}
    done.progress(finished / count, text=_("**{done} of {all}** {things} done", **counts))
    with actions.container(horizontal=True, horizontal_alignment="right", gap="small"):
        label, icon = (_("Flagged"), "⚑") if item.flagged else (_("Flag"), "⚐")
        if st.button(f"{icon} {label}", key=f"flag {item.id}", type="tertiary", help=_("Mark for a second look")):
            frame.store().flag(item.id, not item.flagged)
            st.rerun(scope="fragment")
        _other_part(project, item)
        lock = ":material/lock_open:"
        if item.status == "done" and st.button(_("Reopen"), icon=lock, type="tertiary", help=_(REOPEN)):
            frame.store().reopen(item.id)
            st.rerun(scope="fragment")
        popovers.go_to(project, item.task, mine, item)
        popovers.comments_on(opened)
        popovers.guidelines_of(project, item)
    badge = frame.once("badge", item.id, lambda: _badge(project, opened))  # one that comes later is not shown here
    about = " ".join(f":gray-badge[{name}]" for name in (frame.plain(project.name), terms.task(item.task)))
    about += "".join(f" :green-badge[✓ {terms.task(name)}]" for name in _finished_elsewhere(project, item))
    part = f" :blue-badge[{_('test set')}]" if item.purpose == TEST else ""
    number = [each.id for each in mine].index(item.id) + 1
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        heading = _(NUMBERED[project.kind], number=number)
        st.markdown(f"##### {heading} {about} {badge}{part}", width="content")
        _cost(project, item)
    learning.show(project, item)


def _finished_elsewhere(project: Project, item: Item) -> list[str]:
    """Return the other tasks in which this person has finished the example."""
    if len(project.tasks) == 1:
        return []
    same = session.by_task(frame.store(), project, item)
    return [task for task, each in same.items() if each.status == "done" and task != item.task]


def _badge(project: Project, opened: session.OpenItem) -> str:
    """Return the badge: which model made the suggestions, or whether some are being computed."""
    names = [frame.plain(shown["by"]) for shown in (opened.suggestion, opened.second) if shown]
    made = () if names else queue.visible_jobs(frame.store(), project.id, ("ask", "suggest"))
    if opened.item.blind:
        said = _("blind")
    elif len(names) > 1:
        said = _("suggested by {model}, and by {other}", model=names[0], other=names[1])
    elif names:
        said = _("suggested by {model}", model=names[0]) if names[0] else _("suggested from the lexicon")
    elif any(job.state in queue.UNFINISHED for job in made):
        said = _("suggestions are being computed")
    else:
        said = _("no suggestion")
    return f":{'orange' if names else 'gray'}-badge[{said}]"


def _other_part(project: Project, item: Item) -> None:
    """Draw a button to the test set, or back to the shots, if items are left there."""
    other = SHOTS if item.purpose == TEST else TEST
    own = (None, item.annotator)  # what is nobody's is of whoever comes first
    items = frame.store().items(project.id, task=item.task, purpose=other)
    left = sum(each.status == "open" and each.annotator in own for each in items)
    title = {SHOTS: _("Back to the shots ({left})", left=left), TEST: _("Test set ({left})", left=left)}[other]

    def lead() -> None:
        frame.store().release(item.id, frame.user().name)
        fields.open_next(project, item.task, other)

    if left:
        st.button(title, icon=":material/swap_horiz:", type="tertiary", help=_("Remaining examples"), on_click=lead)


def _move(project: Project, item: Item, event: Mapping[str, Any]) -> None:
    """Open the item to which keys of the editor lead from the item that it shows."""
    if event["item"] != item.id or not event.get("go"):
        return  # the window shows another item already, or is only drawn again
    store, person = frame.store(), frame.user()
    project = saving.project_of(store, project.scope)
    frame.require_member(project, person)
    through_tasks = len(project.tasks) > 1 and st.session_state.get(THROUGH_TASKS, True)
    left = saving.own_item(store, project, person.name, item.id)
    target = session.go(store, project, left, event["go"], through_tasks)
    task = target.task if target else item.task
    st.session_state["shown"][project.id, task] = target.id if target else None
    if task != item.task:
        st.session_state["to task"] = task


def _context(opened: session.OpenItem) -> None:
    """Draw translations, transliteration and notes of the file."""
    if not isinstance(opened.example, Sentence):
        return
    example = opened.example
    if (opened.annotation or {}).get("joined"):
        example = content.annotated(opened.item.task, example, dict(opened.annotation or {}))
    comments = to_model(example).metadata
    help_lines = {
        key: value for key, value in comments.items() if key != "text" and key.split("_")[0] in terms.COMMENTS
    }
    for column, (key, value) in zip(st.columns(max(1, len(help_lines))), help_lines.items(), strict=False):
        with column.container(border=True):
            st.caption(frame.plain(terms.comment(key)))
            st.text(value)


def _cost(project: Project, item: Item) -> None:
    """Draw the annotator's time and cost, counted again for each item and when the item is done."""
    rows = frame.once("spent", (item.id, item.status), lambda: frame.store().progress(project.id, item.annotator))
    mine = [row for row in rows if row.task == item.task and row.purpose != REVIEW]
    done, words = sum(row.measured for row in mine), sum(row.measured_tokens for row in mine)
    seconds = sum(row.seconds for row in mine)
    cost = frame.money(seconds / 3600 * project.wage, project.currency)
    said = [_("{time} active", time=frame.duration(seconds)), cost]
    if done:
        said.append(_("{time} per example", time=frame.duration(seconds / done)))
    if words:
        said.append(_("{seconds} s per token", seconds=written(seconds / words, 1)))
    st.caption(_("Your work: {figures}", figures=" · ".join(frame.plain(figure) for figure in said)), width="content")
