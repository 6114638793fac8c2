"""What the annotate page shows when no item is open: what to wait for, or what to do next."""

from __future__ import annotations

import streamlit as st

from annotate.components import cards, fields, frame, jobs, terms
from annotate.components.cards import Card
from annotate.editing import session
from annotate.language import _, gettext_noop
from annotate.pages.work import popovers
from annotate.store import Project
from fewshot.corpora.types import Sentence

CURATOR_CARDS: dict[str, Card] = {
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
ANNOTATOR_CARDS: dict[str, Card] = {
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


@jobs.follows("draw")
def show(project: Project, task: str) -> None:
    """Draw why no item is open: a model is drawing, nothing is drawn yet, or everything is done."""
    if jobs.show(project, "draw"):
        st.caption(_("The examples that the model draws open here."))
    elif any(row.task == task for row in frame.store().progress(project.id)):
        _next_steps(project, task)
    else:
        message = _("No examples are drawn yet for {task}.", task=terms.task(task))
        if frame.may_curate():
            message += " " + _("Draw some on the page *Rounds & settings*.")
        st.info(message)


def _next_steps(project: Project, task: str) -> None:
    """Draw what to do after a round, or that nothing is assigned to this person."""
    if mine := session.items(frame.store(), project, task, frame.user().name):
        heading = _("Nothing left to do in {task}.", task=terms.task(task))
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(f"#### :green[:material/check_circle:] {heading}", width="content")
            popovers.go_to(project, task, mine, None)
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
    pages = dict(CURATOR_CARDS if curates else ANNOTATOR_CARDS)
    if project.kind != Sentence.kind:
        pages.pop("Consistency", None)  # it compares words
    for (page, (_icon, title, _text)), box in zip(pages.items(), cards.draw(list(pages.values())), strict=True):
        if box.button(_(title), type="primary" if page == "Train & curve" else "secondary", width="stretch"):
            frame.open_project(project, page)
    if curates:
        fields.test_set(project, frame.store().progress(project.id))
