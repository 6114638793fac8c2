"""The annotate page: one item, its editor over the width of the window, and a line of what this has cost so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotate.components import comments, editor, fields, frame, jobs, learning, recordings, terms
from annotate.components.asked import once
from annotate.editing import content, guidelines, session, view
from annotate.internals import forget_stale_widgets
from annotate.language import _, current, gettext_noop
from annotate.store import REVIEW, SHOTS, TEST, Item, Project, StoreError
from annotate.worker import queue
from fewshot import tasks
from fewshot.corpora.tokenization import repair
from fewshot.corpora.types import Sentence
from fewshot.errors import FewshotError
from fewshot.progress import format_duration

WORK = "work"
"""Key of the fragment that shows an item and what belongs to it."""

BESIDE = ("text_", "literal_", "translit", "gloss", "note_")
"""How comments of a sentence begin that help to understand it."""

ALL = gettext_noop("all of it")
"""What a comment is about that is about no word."""

REOPEN = gettext_noop("Not done after all: it counts again once it is")
NEXT = {
    gettext_noop("Train"): "Train & curve",
    gettext_noop("Draw more, or name annotators"): "Projects",
    gettext_noop("Review"): "Review",
    gettext_noop("Export"): "Data & export",
}
"""What a curator may do when a round is annotated, and the page for it."""
NUMBERED = {
    "sentences": gettext_noop("Sentence {number}"),
    "pairs": gettext_noop("Pair {number}"),
    "documents": gettext_noop("Document {number}"),
    "articles": gettext_noop("Article {number}"),
}
"""The heading of an example, by what the project's examples are."""


def show() -> None:
    """Draw the page."""
    project = frame.project()
    if project is None:
        st.info(_("Open a project first."))
        return
    st.set_page_config(initial_sidebar_state="collapsed")
    _work(project)


@st.fragment(key=WORK, run_every=frame.A_DAY)
@frame.trouble()
def _work(project: Project) -> None:
    """Draw what another item, or one that is done, changes; the rest of the page is not run again."""
    forget_stale_widgets()
    frame.require_member(project)
    name = fields.task(project, open_first=True)
    item = _item(project, name, frame.user().name)
    if item is None:
        _nothing_left(project, name)
        return
    head = st.container()
    opened = _open_item(project, item)
    if opened is None:
        return
    with head:
        _head(project, opened)
    _context(opened)


@st.fragment
def _open_item(project: Project, item: Item) -> session.OpenItem | None:
    """Draw the editor and what was wrong with what it sent: of the page, a save draws this alone again."""
    opened = None
    with frame.trouble():
        frame.require_member(project)
        if item.annotator == frame.user().name:
            with frame.store().snapshot():
                opened = session.open_item(frame.store(), project, frame.store().item(item.id))
            data = view.view(project, opened) | {"recording": recordings.heard(project, opened)}
            receive = partial(_receive, project, item, _joined(data["annotation"] or data["example"]))
            editor.show(data, f"editor {project.id} {item.task}", receive)
    fields.show_problem()
    return opened


def _item(project: Project, task: str, annotator: str) -> Item | None:
    """Return the item that is open: the one shown last, or of the link, or the next one to do."""
    shown = st.session_state.setdefault("shown", {})
    place = (project.id, task)
    if place not in shown:
        shown[place] = frame.linked("item")
    found = session.start(frame.store(), project, task, annotator, shown[place])
    shown[place] = found.id if found else None
    if found:
        st.query_params["item"] = str(found.id)
    return found


def _head(project: Project, opened: session.OpenItem) -> None:
    item = opened.item
    mine = session.items(frame.store(), project, item.task, item.annotator or "")
    finished = sum(one.status == "done" for one in mine)
    done, actions = st.columns([1.2, 3], vertical_alignment="center")
    counts = {"done": finished, "all": len(mine), "things": terms.kind(project.kind)}
    done.progress(finished / len(mine), text=_("**{done} of {all}** {things} done", **counts))
    with actions.container(horizontal=True, horizontal_alignment="right", gap="small"):
        label, icon = (_("Flagged"), "⚑") if item.flagged else (_("Flag"), "⚐")
        if st.button(f"{icon} {label}", key=f"flag {item.id}", type="tertiary", help=_("For a second look")):
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
    (badge,) = once("badge", item.id, lambda: [_badge(project, opened)])  # one that comes later is not shown here
    language = f":gray-badge[{terms.language(project.lang)}]"
    part = f" :blue-badge[{_('test set')}]" if item.purpose == TEST else ""
    number = [one.id for one in mine].index(item.id) + 1
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        heading = _(NUMBERED[project.kind], number=number)
        st.markdown(f"##### {heading} {language} {badge}{part}", width="content")
        _cost(project, item)
    learning.show(project, item)


def _badge(project: Project, opened: session.OpenItem) -> str:
    """Say whose suggestions are shown; where none are, whether what is opened later will have some."""
    names = [frame.plain(shown["by"]) for shown in (opened.suggestion, opened.second) if shown]
    made = () if names else queue.visible_jobs(frame.store(), project.id, ("ask", "suggest"))
    if opened.item.blind:
        said = _("blind")
    elif len(names) > 1:
        said = _("suggested by {model}, and by {other}", model=names[0], other=names[1])
    elif names:
        said = _("suggested by {model}", model=names[0])
    elif any(job.state in queue.UNFINISHED for job in made):
        said = _("suggestions are on their way")
    else:
        said = _("no suggestion")
    return f":{'orange' if names else 'gray'}-badge[{said}]"


def _other_part(project: Project, item: Item) -> None:
    """Lead to the test set, or back to the shots, where something is left there."""
    other = SHOTS if item.purpose == TEST else TEST
    own = (None, item.annotator)  # what is nobody's is of whoever comes first
    there = frame.store().items(project.id, task=item.task, purpose=other)
    left = sum(one.status == "open" and one.annotator in own for one in there)
    title = {SHOTS: _("Back to the shots ({left})", left=left), TEST: _("Test set ({left})", left=left)}[other]

    def lead() -> None:
        frame.store().release(item.id, frame.user().name)
        fields.open_next(project, item.task, other)

    if left:
        st.button(title, icon=":material/swap_horiz:", type="tertiary", help=_("What is left there"), on_click=lead)


def _go_to(project: Project, task: str, mine: Sequence[Item], item: Item | None) -> None:
    """Draw the list of a person's items, of which one is open or none."""
    with _popover(_("Go to"), "list", item):
        marks = {"done": "✓", "skipped": "↷", "open": "·"}
        names = {
            one.id: f"{number} {marks[one.status]}{' ⚑' if one.flagged else ''}"
            for number, one in enumerate(mine, start=1)
        }
        here = item.id if item else None
        place = list(names).index(here) if here else None
        key = f"go to {here} {task}"

        def go() -> None:
            if here:
                frame.store().release(here, frame.user().name)
            st.session_state["shown"][project.id, task] = st.session_state[key]
            st.rerun(WORK)

        st.selectbox(_("Item"), list(names), place, lambda one: names[one], key=key, on_change=go)


def _comments(opened: session.OpenItem) -> None:
    item = opened.item
    found = once("comments", item.id, lambda: frame.store().comments(item.example_id))
    with _popover(_("Comment") + (f" ({len(found)})" if found else ""), "chat", item):
        comments.said(found)
        key = f"{item.id} {len(found)}"
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


def _popover(label: str, icon: str, item: Item | None) -> DeltaGenerator:
    """Return a popover that is closed when another item comes."""
    return st.popover(label, icon=f":material/{icon}:", type="tertiary", key=f"{icon} {item.id if item else None}")


@cache
def _label_table(task: str, labels: tuple[str, ...], language: str) -> str:
    """Return a Markdown table; a data frame would be built and sent anew with every save.

    Args:
        language: that it is kept for.
    """
    found = guidelines.label_info(tasks.get(task), labels)
    rows = [(frame.plain(one.name), one.definition, one.example) for one in found]
    lines = [" | ".join(cell.replace("|", r"\|") for cell in row) for row in rows]
    head = f"| {_('label')} | {_('definition')} | {_('example')} |"
    return "\n".join([head, "|---|---|---|", *(f"| {line} |" for line in lines)])


def _joined(annotation: Mapping[str, Any] | None) -> int:
    """Return how many sentences an annotated one goes on in, which are no items of their own."""
    return int((annotation or {}).get("joined", 0))


def _receive(project: Project, item: Item, joined: int, event: Mapping[str, Any]) -> None:
    """Store what an editor sent; where another item comes, or this one is open again, draw all that shows items anew.

    One that is done stays as it is drawn: the editor asks for the next one at once.

    Args:
        joined: how many sentences the item's went on in before.
    """
    if not frame.is_member(project):
        st.rerun(WORK)  # which says so
    try:
        target = session.receive(frame.store(), project, frame.user().name, event)
    except FewshotError as error:
        fields.keep_problem(error, event)
        st.rerun(WORK)
    if event.get("done") and item.purpose == SHOTS:
        # Where the database, a file or a lock fails: what was annotated is saved, and the next item asks again.
        with suppress(StoreError, OSError, NotImplementedError):
            queue.learn(frame.store(), project, item.task)
    if event.get("left") or event["item"] != item.id:
        return  # the window shows another item already
    st.session_state.setdefault("shown", {})[project.id, item.task] = target.id if target else None
    rejoined = "annotation" in event and _joined(event["annotation"]) != joined
    if rejoined or target is None or target.id != item.id or (item.status == "done" and target.status != "done"):
        st.rerun(WORK)


def _context(opened: session.OpenItem) -> None:
    """Draw translations, transliteration and notes, where the file has them."""
    if not isinstance(opened.example, Sentence):
        return
    example = opened.example
    if _joined(opened.annotation):
        example = content.annotated(opened.item.task, example, dict(opened.annotation or {}))
    comments = repair.comments_of(example)
    help_lines = {key: value for key, value in comments.items() if key.startswith(BESIDE)}
    for column, (key, value) in zip(st.columns(max(1, len(help_lines))), help_lines.items(), strict=False):
        with column.container(border=True):
            st.caption(key.removesuffix("_und").replace("_", " ").upper())
            st.text(value)


def _cost(project: Project, item: Item) -> None:
    """Draw what the annotator has done here and spent; counted anew when another item comes, or this one is done."""
    rows = once("spent", (item.id, item.status), lambda: frame.store().progress(project.id, item.annotator))
    mine = [row for row in rows if row.task == item.task and row.purpose != REVIEW]
    done = sum(row.measured for row in mine)
    seconds = sum(row.seconds for row in mine)
    words = sum(row.measured_tokens for row in mine)
    said = [
        _("{time} active", time=format_duration(seconds)),
        frame.money(seconds / 3600 * project.wage, project.currency),
    ]
    if done:
        said.append(_("{time} each", time=format_duration(seconds / done)))
    if words:
        said.append(_("{seconds} s a token", seconds=f"{seconds / words:.1f}"))
    st.caption(_("Your work: {figures}", figures=" · ".join(frame.plain(one) for one in said)), width="content")


@jobs.follows("draw")
def _nothing_left(project: Project, task: str) -> None:
    """Say so, or how far the model is that draws the next round, whose first item then comes by itself."""
    if jobs.show(project, "draw"):
        st.caption(_("What the model draws opens here."))
    elif any(row.task == task for row in frame.store().progress(project.id)):
        _leads_on(project, task)
    else:
        st.info(_("Nothing is drawn yet in {task}; draw on the Projects page.", task=terms.task(task)))


def _leads_on(project: Project, task: str) -> None:
    """Say what comes after a round; to whom nothing was assigned, that this is why there is nothing to do."""
    if mine := session.items(frame.store(), project, task, frame.user().name):
        st.success(_("Nothing left to do in {task}.", task=terms.task(task)))
        _go_to(project, task, mine, None)
    else:
        people = ", ".join(frame.store().project_people(project.id)) or _("nobody")
        message = _(
            "Nobody has assigned you {things} of {project}: its annotators are {people}.",
            things=terms.kind(project.kind), project=frame.plain(project.name), people=frame.plain(people),
        )  # fmt: skip
        st.info(message)
    if not frame.may_curate():
        st.caption(_("Whoever leads the work draws the next round and says who annotates it."))
        return
    with st.container(horizontal=True):
        for label, page in NEXT.items():
            if st.button(_(label), type="primary" if label == "Train" else "secondary"):
                frame.open_project(project, page)
    fields.test_set(project, frame.store().progress(project.id))
