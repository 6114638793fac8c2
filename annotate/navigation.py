"""The pages of the app and who sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from annotate.components import chooser, frame, jobs
from annotate.language import _, gettext_noop
from annotate.pages import (
    compare,
    consistency,
    data,
    new_project,
    people,
    projects,
    review,
    sentences,
    settings,
    sign_in,
    train,
    work,
)
from annotate.server import hosts
from annotate.store import User


@dataclass(frozen=True, slots=True)
class AppPage:
    """A page of the app.

    Args:
        title: in English; its first word, in lower case, is the page's path.
        icon: of Google's Material Symbols.
        draw: function that draws it.
        section: of the menu: ``""`` for everybody, ``project`` if one is open, ``lab`` for admins.
        curators: whether only curators see it.
    """

    title: str
    icon: str
    draw: Callable[[], None]
    section: str = ""
    curators: bool = False


PAGES = (
    AppPage(gettext_noop("Projects"), "folder", projects.show),
    AppPage(gettext_noop("New project"), "add", new_project.show, curators=True),
    AppPage(gettext_noop("Compare"), "stacked_line_chart", compare.show, curators=True),
    AppPage(gettext_noop("Annotate"), "edit_note", work.show, "project"),
    AppPage(gettext_noop("Sentences"), "manage_search", sentences.show, "project"),
    AppPage(gettext_noop("Consistency"), "rule", consistency.show, "project"),
    AppPage(gettext_noop("Train & curve"), "show_chart", train.show, "project", curators=True),
    AppPage(gettext_noop("Review"), "difference", review.show, "project", curators=True),
    AppPage(gettext_noop("Data & export"), "database", data.show, "project", curators=True),
    AppPage(gettext_noop("Rounds & settings"), "tune", settings.show, "project", curators=True),
    AppPage(gettext_noop("People"), "group", people.show, "lab"),
)
"""In the order of the menu; the first is the start page."""


def run() -> None:
    """Draw the navigation and the open page, or one line if the database cannot be reached."""
    st.set_page_config(page_title="fewshot", page_icon="🪢", layout="wide", initial_sidebar_state="auto")
    with frame.trouble():
        _draw()


def _draw() -> None:
    if hosts.is_refused(st.context.headers, acts=True):  # where Streamlit was started without `fewshot app`
        st.error(hosts.REFUSED)
        return
    if frame.signed_in() and not sign_in.known():  # after signing in, the requested page opens
        st.navigation([_page(replace(page, draw=sign_in.show)) for page in PAGES], position="hidden").run()
        sign_in.keep()
        chooser.keep()
        return
    user, project, curates = frame.user(), frame.project(), frame.may_curate()
    open_project = frame.plain(project.name) if project else None
    names = {"": "", "project": open_project, "lab": _("Lab") if _is_lab_admin(user) else None}
    menu: dict[str, list[Any]] = {}
    pages: dict[str, Any] = {}
    for page in PAGES:
        name = names[page.section]
        if name is not None and (curates or not page.curators):
            pages[page.title] = _page(page)
            menu.setdefault(name, []).append(pages[page.title])
    chosen = st.navigation(menu)
    wanted = st.session_state.pop("to page", None)
    if wanted in pages:
        st.switch_page(pages[wanted])
    with st.sidebar:
        place = "SQLite" if frame.store().is_sqlite else "PostgreSQL"
        name = f"**{frame.plain(user.name)}**"
        person = _("Signed in as {name}", name=name) if frame.signed_in() else name
        st.caption(f"{person} · {place}")
        if frame.signed_in():
            st.button(_("Sign out"), type="tertiary", on_click=sign_in.sign_out)
        if project is not None and curates:
            jobs.beside_the_menu(project)
        chooser.show()
    sign_in.keep()
    chooser.keep()
    chosen.run()


def _is_lab_admin(user: User) -> bool:
    return frame.signed_in() and user.role == "admin"


def _page(page: AppPage) -> Any:
    path, icon = page.title.partition(" ")[0].lower(), f":material/{page.icon}:"
    drawn = frame.page(page.draw)
    return st.Page(drawn, title=_(page.title), icon=icon, url_path=path, default=page.title == PAGES[0].title)
