"""The button of the simulated curve, on the train page."""

from __future__ import annotations

import streamlit as st

from annotate.components import frame
from annotate.components import jobs as progress
from annotate.rounds import simulation
from annotate.store import Project
from annotate.worker import queue as jobs


@st.fragment(run_every=2.0)
def button(project: Project, task: str) -> None:
    """Draw the button, or the job that it started."""
    if not frame.may_curate():
        return
    if any(job.args["task"] == task for job in progress.lines(project, "simulate")):
        return
    help_ = (
        f"What {project.sampler} draws, up to {simulation.AHEAD} rounds ahead, with the labels that came with "
        f"{project.source}: what to expect of annotation without mistakes. Goes on where it was stopped."
    )
    if st.button("Simulate with gold labels", help=help_):
        jobs.start(frame.store(), project.id, "simulate", {"task": task})
        st.rerun(scope="fragment")
