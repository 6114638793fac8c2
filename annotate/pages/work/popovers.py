"""The lists and texts that open above the editor: items to go to, comments, guidelines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import streamlit as st

from annotate.components import comments, frame
from annotate.editing import guidelines, session, view
from annotate.language import _, current, gettext_noop
from annotate.store import Item, Project
from fewshot import tasks

ITEM_FRAGMENT = "work"
"""Key of the fragment that draws an item."""

MAX_BEGINNING = 60
"""Maximum number of characters of a text that the list of items shows."""

ALL = gettext_noop("everything")
"""Subject of a comment about the whole example."""


def go_to(project: Project, task: str, mine: Sequence[Item], item: Item | None) -> None:
    """Draw the list of a person's items, with the open one chosen, and the beginning of each text."""
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
            names[each.id] = f"{at} {signs} {view.beginning(texts[each.example_id], MAX_BEGINNING)}"
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


def comments_on(opened: session.OpenItem) -> None:
    """Draw the comments on an example, and the field for another one."""
    item = opened.item
    written = frame.once("comments", item.id, lambda: frame.store().comments(item.example_id))
    key = f"comment {item.id} {len(written)}"
    counted = (f" ({len(written)})" if written else "") + (" ✎" if st.session_state.get(key) else "")
    with _popover(_("Comment") + counted, "chat", item):
        comments.said(written)
        words = view.words(opened)
        about = ALL
        if words:
            about = st.selectbox(
                _("About"), [ALL, *words], format_func=_about, key=f"about {key}", persist_state="session"
            )
        text = st.text_area(_("Comment"), key=key, label_visibility="collapsed", persist_state="session").strip()
        if st.button(_("Add"), key=f"add {item.id}") and text:
            about = "" if about == ALL else about
            frame.store().add_comment(item.example_id, item.task, frame.user().name, text, about)
            del st.session_state["comments"]
            st.rerun(scope="fragment")


def _about(part: str) -> str:
    return _(part) if part == ALL else part


def guidelines_of(project: Project, item: Item) -> None:
    """Draw the guidelines of a project, and the labels of the task."""
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
