"""The annotate page: one item in its editor, with progress and cost."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import streamlit as st

from annotate.components import cards, comments, editor, fields, frame, jobs, learning, recordings, terms
from annotate.components.cards import Card
from annotate.editing import content, guidelines, saving, session, view
from annotate.internals import forget_stale_widgets
from annotate.language import _, current, gettext_noop
from annotate.store import REVIEW, SHOTS, TEST, Item, Project
from annotate.worker import queue
from fewshot import tasks
from fewshot.corpora.formats.conllu import to_model
from fewshot.corpora.types import Sentence
from fewshot.progress import format_duration

ITEM_FRAGMENT = "work"
"""Key of the fragment that draws an item."""

MAX_BEGINNING = 60
"""Maximum number of characters of a text that the list of items shows."""

HELPFUL_COMMENTS = ("text_", "literal_", "translit", "gloss", "note_")
"""Prefixes of a sentence's comments that help to understand it."""

ALL = gettext_noop("everything")
"""Subject of a comment about the whole example."""

REOPEN = gettext_noop("Mark as not done; it counts again when it is done")
NEXT: dict[str, Card] = {
    "Train & curve": (
        "show_chart",
        gettext_noop("Train"),
        gettext_noop("See the gain of this annotation, and what the next round is expected to bring."),
    ),
    "Rounds & settings": (
        "playlist_add",
        gettext_noop("Draw more"),
        gettext_noop("Draw the next round, add annotators, or write guidelines."),
    ),
    "Review": (
        "difference",
        gettext_noop("Review"),
        gettext_noop("Decide where annotators differ, and correct what is finished."),
    ),
    "Data & export": (
        "download",
        gettext_noop("Export"),
        gettext_noop("Download the annotation, in the format of the file or in another one."),
    ),
}
"""Actions of a curator after a round, by their pages."""
FOR_ANNOTATORS: dict[str, Card] = {
    "Consistency": (
        "rule",
        gettext_noop("Consistency"),
        gettext_noop("Look through words that are annotated in different ways."),
    ),
    "Sentences": (
        "manage_search",
        gettext_noop("Sentences"),
        gettext_noop("Search the text and the annotation, and open any sentence again."),
    ),
}
"""Actions of an annotator after a round, by their pages."""
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


@st.fragment(key=ITEM_FRAGMENT, run_every=frame.A_DAY)
@frame.trouble()
def _work(project: Project) -> None:
    """Draw the item; another item runs only this fragment again."""
    forget_stale_widgets()
    project = saving.project_of(frame.store(), project.scope)
    frame.require_member(project)
    name = fields.task(project, open_first=True)
    item = _item(project, name, frame.user().name)
    if item is None:
        _nothing_left(project, name)
        return
    head = st.container()
    with frame.store().snapshot():
        opened = session.open_item(frame.store(), project, frame.store().item(item.id))
    data = view.view(project, opened) | {"recording": recordings.heard(project, opened)}
    editor.show(data, f"editor {project.id} {item.task}", partial(_move, project, item))
    with head:
        _head(project, opened)
    _context(opened)


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
        _go_to(project, item.task, mine, item)
        _comments(opened)
        _guidelines(project, item)
    badge = frame.once("badge", item.id, lambda: _badge(project, opened))  # one that comes later is not shown here
    about = " ".join(f":gray-badge[{name}]" for name in (frame.plain(project.name), terms.task(item.task)))
    part = f" :blue-badge[{_('test set')}]" if item.purpose == TEST else ""
    number = [each.id for each in mine].index(item.id) + 1
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        heading = _(NUMBERED[project.kind], number=number)
        st.markdown(f"##### {heading} {about} {badge}{part}", width="content")
        _cost(project, item)
    learning.show(project, item)


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


def _go_to(project: Project, task: str, mine: Sequence[Item], item: Item | None) -> None:
    """Draw the list of a person's items, with the open one chosen; an open list shows how each text begins."""
    answered = frame.store().answered(project.id, task, frame.user().name)
    box = _popover(_("Go to") + (" 💬" if answered else ""), "list", item, on_change="rerun")
    if not box.open:
        return
    with box:
        marks = {"done": "✓", "skipped": "↷", "open": "·"}
        texts = view.texts(frame.store(), project, (each.example_id for each in mine))
        names = {}
        for at, each in enumerate(mine, start=1):
            signs = marks[each.status] + " ⚑" * each.flagged + " 💬" * (each.example_id in answered)
            names[each.id] = f"{at} {signs} {textwrap.shorten(texts[each.example_id], MAX_BEGINNING, placeholder='…')}"
        open_id, place = (item.id, list(names).index(item.id)) if item else (None, None)
        key = f"go to {open_id} {task}"

        def go() -> None:
            if open_id:
                frame.store().release(open_id, frame.user().name)
            st.session_state["shown"][project.id, task] = st.session_state[key]
            st.rerun(ITEM_FRAGMENT)

        st.selectbox(_("Item"), list(names), place, names.__getitem__, key=key, on_change=go, width=420)
        if st.button(_("All of the file, also what is not drawn"), key=f"all {open_id}", type="tertiary"):
            frame.open_project(project, "Sentences")


def _comments(opened: session.OpenItem) -> None:
    item = opened.item
    written = frame.once("comments", item.id, lambda: frame.store().comments(item.example_id))
    with _popover(_("Comment") + (f" ({len(written)})" if written else ""), "chat", item):
        comments.said(written)
        key = f"{item.id} {len(written)}"
        words = view.words(opened)
        about = st.selectbox(_("About"), [ALL, *words], format_func=_about, key=f"about {key}") if words else ALL
        text = st.text_area(_("Comment"), key=f"comment {key}", label_visibility="collapsed").strip()
        if st.button(_("Add"), key=f"add {item.id}") and text:
            about = "" if about == ALL else about
            frame.store().add_comment(item.example_id, item.task, frame.user().name, text, about)
            del st.session_state["comments"]
            st.rerun(scope="fragment")


def _about(part: str) -> str:
    return _(part) if part == ALL else part


def _guidelines(project: Project, item: Item) -> None:
    with _popover(_("Guidelines"), "menu_book", item):
        if project.guidelines.strip():
            st.markdown(project.guidelines)
        st.markdown(_label_table(item.task, tuple(project.labels[item.task]), current()))


def _popover(label: str, icon: str, item: Item | None, **options: Any) -> Any:
    """Return a popover that closes when another item opens.

    Args:
        options: others of `st.popover`.
    """
    key = f"{icon} {item.id if item else None}"
    return st.popover(label, icon=f":material/{icon}:", type="tertiary", key=key, **options)


@cache
def _label_table(task: str, labels: tuple[str, ...], language: str) -> str:
    """Return a Markdown table, which is cheaper than a data frame that every save would send again.

    Args:
        language: that it is kept for.
    """
    infos = guidelines.label_info(tasks.get(task), labels)
    rows = [(frame.plain(info.name), info.definition, info.example) for info in infos]
    lines = [" | ".join(cell.replace("|", r"\|") for cell in row) for row in rows]
    head = " | ".join([_("label"), _("definition"), _("example")])
    return "\n".join([f"| {head} |", "|---|---|---|", *(f"| {line} |" for line in lines)])


def _move(project: Project, item: Item, event: Mapping[str, Any]) -> None:
    """Open the item to which keys of the editor lead from the item that it shows."""
    if event["item"] != item.id or not event.get("go"):
        return  # the window shows another item already, or is only drawn again
    store, person = frame.store(), frame.user()
    project = saving.project_of(store, project.scope)
    frame.require_member(project, person)
    target = session.go(store, project, saving.own_item(store, project, person.name, item.id), event["go"])
    st.session_state["shown"][project.id, item.task] = target.id if target else None


def _context(opened: session.OpenItem) -> None:
    """Draw translations, transliteration and notes of the file."""
    if not isinstance(opened.example, Sentence):
        return
    example = opened.example
    if (opened.annotation or {}).get("joined"):
        example = content.annotated(opened.item.task, example, dict(opened.annotation or {}))
    comments = to_model(example).metadata
    help_lines = {key: value for key, value in comments.items() if key.startswith(HELPFUL_COMMENTS)}
    for column, (key, value) in zip(st.columns(max(1, len(help_lines))), help_lines.items(), strict=False):
        with column.container(border=True):
            st.caption(key.removesuffix("_und").replace("_", " ").upper())
            st.text(value)


def _cost(project: Project, item: Item) -> None:
    """Draw the annotator's time and cost, counted again for each item and when the item is done."""
    rows = frame.once("spent", (item.id, item.status), lambda: frame.store().progress(project.id, item.annotator))
    mine = [row for row in rows if row.task == item.task and row.purpose != REVIEW]
    done, words = sum(row.measured for row in mine), sum(row.measured_tokens for row in mine)
    seconds = sum(row.seconds for row in mine)
    cost = frame.money(seconds / 3600 * project.wage, project.currency)
    said = [_("{time} active", time=format_duration(seconds)), cost]
    if done:
        said.append(_("{time} per example", time=format_duration(seconds / done)))
    if words:
        said.append(_("{seconds} s per token", seconds=f"{seconds / words:.1f}"))
    st.caption(_("Your work: {figures}", figures=" · ".join(frame.plain(figure) for figure in said)), width="content")


@jobs.follows("draw")
def _nothing_left(project: Project, task: str) -> None:
    """Draw why no item is open: a model is drawing, nothing is drawn yet, or everything is done."""
    if jobs.show(project, "draw"):
        st.caption(_("The examples that the model draws open here."))
    elif any(row.task == task for row in frame.store().progress(project.id)):
        _leads_on(project, task)
    else:
        message = _("No examples are drawn yet for {task}.", task=terms.task(task))
        if frame.may_curate():
            message += " " + _("Draw some on the page *Rounds & settings*.")
        st.info(message)


def _leads_on(project: Project, task: str) -> None:
    """Draw what to do after a round, or that nothing is assigned to this person."""
    if mine := session.items(frame.store(), project, task, frame.user().name):
        heading = _("Nothing left to do in {task}.", task=terms.task(task))
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f"#### :green[:material/check_circle:] {heading}", width="content")
            _go_to(project, task, mine, None)
    else:
        people = ", ".join(frame.store().project_people(project.id)) or _("nobody")
        message = _(
            "You have no {things} in {project}. Its annotators are {people}.",
            things=terms.kind(project.kind), project=frame.plain(project.name), people=frame.plain(people),
        )  # fmt: skip
        st.info(message)
    curates = frame.may_curate()
    if not curates:
        st.caption(_("The person who leads the project draws the next round and assigns the annotators."))
    pages = NEXT if curates else FOR_ANNOTATORS
    for (page, (_icon, title, _text)), box in zip(pages.items(), cards.draw(list(pages.values())), strict=True):
        if box.button(_(title), type="primary" if page == "Train & curve" else "secondary", width="stretch"):
            frame.open_project(project, page)
    if curates:
        fields.test_set(project, frame.store().progress(project.id))
