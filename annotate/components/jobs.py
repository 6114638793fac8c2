"""Jobs as pages show them: a line for each running, waiting or failed job."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import streamlit as st

from annotate.components import frame
from annotate.internals import in_fragment
from annotate.language import _, gettext_noop
from annotate.store import Job, Project
from annotate.worker import queue

MENU_SECONDS = 5.0
"""Seconds between two updates of the list beside the menu."""

PAGE_SECONDS = 2.0
"""Seconds between two updates of an unfinished job on its page."""

Draws = Callable[..., None]
"""A function that draws something about a project, its first argument."""

TITLES = {
    "ask": gettext_noop("Language model"),
    "cross_check": gettext_noop("Comparison"),
    "draw": gettext_noop("Draw"),
    "predict": gettext_noop("Labelling"),
    "simulate": gettext_noop("Simulation"),
    "suggest": gettext_noop("Suggestions"),
    "train": gettext_noop("Training"),
}


def follows(*kinds: str) -> Callable[[Draws], Draws]:
    """Make a function a fragment that runs again while a job of some kinds is unfinished.

    Where no job is unfinished it must not draw itself: a click that meets such a drawing can be lost.
    """

    def decorate(draw: Draws) -> Draws:
        @wraps(draw)
        def fragment(project: Project, *args: Any) -> None:
            jobs = queue.visible_jobs(frame.store(), project.id, kinds)
            unfinished = any(job.state in queue.UNFINISHED for job in jobs)
            st.fragment(frame.trouble()(draw), run_every=PAGE_SECONDS if unfinished else None)(project, *args)

        return fragment

    return decorate


def start(project: Project, kind: str, args: dict[str, Any]) -> None:
    """Start a job and run the page again, or say that the same job is unfinished."""
    if queue.start(frame.store(), project.id, kind, args) is None:
        st.toast(_("This job is already running; another person started it."))
        return
    st.rerun()


def show(project: Project, *kinds: str) -> list[Job]:
    """Draw the jobs of some kinds: progress and a stop button, the error, or the final message.

    It stands in a fragment that follows these jobs. When it finds that a job has ended, the whole page is drawn anew;
    where the page is being drawn already, a rerun would lose the click that it is drawn for.

    Returns:
        Those that are queued or running.
    """
    jobs = queue.visible_jobs(frame.store(), project.id, kinds)
    for job in jobs:
        title = f"{_(TITLES[job.kind])}: {queue.subject(job)}"
        if job.state == "failed":
            _failed(job, title)
        elif job.state == "done":
            st.caption(f"{title}: {frame.plain(job.error or '')}")
        elif job.state == "cancelled":
            st.caption(_("{title} was stopped", title=title))
        else:
            _unfinished(job, title)
    unfinished = [job for job in jobs if job.state in queue.UNFINISHED]
    place, ids = f"unfinished {kinds} {project.id}", {job.id for job in unfinished}
    before, st.session_state[place] = st.session_state.get(place, set()), ids
    if before - ids and in_fragment():
        st.rerun()
    return unfinished


@st.fragment(run_every=MENU_SECONDS)
@frame.trouble()
def beside_the_menu(project: Project) -> None:
    """Draw what runs or waits in a project on every page: how far it is and how long it will take."""
    for job in queue.visible_jobs(frame.store(), project.id, list(TITLES)):
        if job.state in queue.UNFINISHED:
            st.caption(_(TITLES[job.kind]).upper())
            st.progress(min(1.0, job.progress), text=f":small[{frame.plain(job.message or job.state)}]")


def _unfinished(job: Job, title: str) -> None:
    bar, button = st.columns([5, 1], vertical_alignment="center")
    what = _(TITLES[job.kind]) if job.state == "running" else title  # what is at work names its task itself
    bar.progress(min(1.0, job.progress), text=f"{what}: {frame.plain(job.message or job.state)}")
    if frame.may_curate() and button.button(_("Stop"), key=f"stop {job.id}", width="stretch"):
        frame.store().cancel(job.id)
        st.rerun(scope="fragment")


def _failed(job: Job, title: str) -> None:
    st.error(_("{title} failed: {error}", title=title, error=frame.plain(job.error or "")))
    if frame.may_curate() and (tail := queue.log_tail(job.id)):
        with st.expander(_("The end of its log")):
            st.code(tail, language=None)
