"""Which pages there are for whoever is here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from annotate.components import frame
from annotate.pages import compare, data, people, projects, review, sign_in, train, work

Draw = Callable[[], None]

ICONS = {
    "Projects": "folder",
    "Compare": "stacked_line_chart",
    "Annotate": "edit_note",
    "Train & curve": "show_chart",
    "Review": "difference",
    "Data & export": "database",
    "People": "group",
}
"""Material icon of each page, by the page's title."""


def run() -> None:
    """Draw the navigation and the page that is open."""
    st.set_page_config(page_title="fewshot", page_icon="🪢", layout="wide", initial_sidebar_state="auto")
    if frame.signed_in() and not sign_in.known():  # whoever signs in on the way to a page gets there
        st.navigation([_page(sign_in.show, title) for title in ICONS], position="hidden").run()
        sign_in.keep()
        return
    here = frame.user()
    project = frame.project()
    curates = frame.may_curate()
    pages = {"": [_page(projects.show, "Projects")]}
    if curates:
        pages[""].append(_page(compare.show, "Compare"))
    if project is not None:
        pages[project.name] = [_page(work.show, "Annotate")]
        if curates:
            pages[project.name] += [
                _page(train.show, "Train & curve"),
                _page(review.show, "Review"),
                _page(data.show, "Data & export"),
            ]
    if frame.signed_in() and here.role == "admin":
        pages["Lab"] = [_page(people.show, "People")]
    chosen = st.navigation(pages)
    if st.session_state.pop("to annotate", False) and project is not None:
        st.switch_page(pages[project.name][0])
    with st.sidebar:
        place = "SQLite" if frame.store().is_sqlite else "PostgreSQL"
        st.caption(f"{'Signed in as ' if frame.signed_in() else ''}**{here.name}** · {place}")
        if frame.signed_in():
            st.button("Sign out", type="tertiary", on_click=sign_in.sign_out)
    sign_in.keep()
    chosen.run()


def _page(draw: Draw, title: str) -> Any:
    path, icon = title.partition(" ")[0].lower(), f":material/{ICONS[title]}:"
    return st.Page(frame.page(draw), title=title, icon=icon, url_path=path, default=title == "Projects")
