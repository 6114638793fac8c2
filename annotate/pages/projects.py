"""The projects page: one line for each project, the newest first."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from annotate.components import cards, frame, housekeeping, progress, terms
from annotate.language import _, gettext_noop, written
from annotate.pages import new_project
from annotate.store import Project

WELCOME = gettext_noop(
    "Annotate a few sentences of your language. A model trained on English learns from them, "
    "suggests labels for the next ones, and shows the gain and the price of each round."
)
STEPS = (
    (
        "add",
        gettext_noop("1. Make a project"),
        gettext_noop(
            "Upload sentences or use the sample, and choose what to annotate. The first ten "
            "sentences are drawn at once."
        ),
    ),
    (
        "keyboard",
        gettext_noop("2. Annotate"),
        gettext_noop("Every decision has a key, which is shown beside it. Each change is saved at once."),
    ),
    (
        "show_chart",
        gettext_noop("3. Train and see"),
        gettext_noop(
            "The learning curve shows the gain of these sentences and the expected gain of "
            "more. You can export at any time."
        ),
    ),
)
"""Steps for a newcomer."""

MAX_UNFILTERED = 8
"""Maximum number of projects that are listed without a field to filter them."""


def show() -> None:
    """Draw the page."""
    mine = sorted(frame.projects(), key=lambda project: project.id, reverse=True)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.header(_("Projects"), width="content")
        if mine and frame.may_curate() and st.button(_("New project"), icon=":material/add:", type="primary"):
            frame.show_page("New project")
    for project in _filtered(mine):
        _line(project)
    if not frame.may_curate():
        if not mine:
            st.info(_("You have no project yet. Ask the person who leads the work to add you to one."))
        return
    if not mine:
        st.markdown(f"#### {_(WELCOME)}")
        cards.draw(STEPS)
        with frame.trouble():
            new_project.show()
    if archived := frame.store().projects(archived=True):
        with st.expander(_("Archived ({number})", number=len(archived)), icon=":material/archive:"), frame.trouble():
            housekeeping.archived(archived)


def _filtered(projects: Sequence[Project]) -> Sequence[Project]:
    """Return the projects whose name, language or tasks contain what is typed, if there are many."""
    if len(projects) <= MAX_UNFILTERED:
        return projects
    title = _("Filter by name, language or task")
    typed = st.text_input(title, placeholder=title, icon=":material/search:", label_visibility="collapsed")
    return [project for project in projects if typed.casefold() in f"{project.name} {_about(project)}".casefold()]


def _about(project: Project) -> str:
    """Return language and tasks of a project."""
    return " · ".join([terms.language(project.lang), ", ".join(terms.task(task) for task in project.tasks)])


def _line(project: Project) -> None:
    """Draw a project: to a curator with everybody's progress, to an annotator with their own."""
    annotator = None if frame.may_curate() else frame.user().name
    rows = frame.store().progress(project.id, annotator)
    seconds = sum(row.seconds for row in rows)
    active = _("{time} active", time=frame.duration(seconds))
    cost = frame.plain(frame.money(seconds / 3600 * project.wage, project.currency))
    sizes = _("pool {pool}, test {test}", pool=written(project.pool_size), test=written(project.test_size))
    with st.container(border=True):
        name, work, spent, action = st.columns([4, 3, 2, 1.5], vertical_alignment="center", gap="medium")
        name.markdown(f"**{frame.plain(project.name)}**  \n:small[:gray[{_about(project)}]]")
        with work:
            progress.show(project, rows, annotator)
        spent.markdown(f":small[{active}, {cost}]  \n:small[:gray[{sizes}]]")
        if action.button(_("Open"), key=f"open {project.id}", width="stretch"):
            frame.open_project(project)
