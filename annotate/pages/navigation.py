"""Which pages there are for whoever is here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from annotate.pages import compare, data, frame, people, projects, review, sign_in, train, work

TITLES = ("Projects", "Annotate", "Train & curve", "Review", "Data & export", "Compare", "People")
"""Of every page: whoever signs in on the way to one gets there."""


def run() -> None:
    """Draw the navigation and the page that is open."""
    st.set_page_config(page_title="fewshot", page_icon="🪢", layout="wide", initial_sidebar_state="auto")
    if frame.signed_in() and not sign_in.known():
        asking = [_page(sign_in.show, title, "login", default=title == TITLES[0]) for title in TITLES]
        st.navigation(asking, position="hidden").run()
        sign_in.keep()
        return
    here = frame.user()
    project = frame.project()
    pages = {"": [_page(projects.show, "Projects", "folder", default=True)]}
    curates = here.role in ("curator", "admin")
    if curates:
        pages[""].append(_page(compare.show, "Compare", "stacked_line_chart"))
    if project is not None:
        pages[project.name] = [_page(work.show, "Annotate", "edit_note")]
        if curates:
            pages[project.name] += [
                _page(train.show, "Train & curve", "show_chart"),
                _page(review.show, "Review", "difference"),
                _page(data.show, "Data & export", "database"),
            ]
    if frame.signed_in() and here.role == "admin":
        pages["Lab"] = [_page(people.show, "People", "group")]
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


def _page(draw: Callable[[], None], title: str, icon: str, default: bool = False) -> Any:
    path = title.partition(" ")[0].lower()
    return st.Page(frame.page(draw), title=title, icon=f":material/{icon}:", url_path=path, default=default)
