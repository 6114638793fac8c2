"""The button of the simulated curve, on the train page."""

from __future__ import annotations

import streamlit as st

from annotate import jobs, simulation
from annotate.pages import frame
from annotate.store import Project

RUNNING = ("queued", "running")


@st.fragment(run_every=2.0)
def button(project: Project, task: str) -> None:
    """Draw the button, or the job that it started; the page is drawn anew when the job ends."""
    if not frame.may_curate():
        return
    mine = [one for one in frame.store().jobs(project.id) if one.kind == "simulate" and one.args["task"] == task]
    job = jobs.shown(mine[-1]) if mine else None
    place = f"simulate {project.id} {task}"
    if job and job.state in RUNNING:
        st.session_state[place] = job.id
        st.progress(job.progress, text=f"Simulation: {job.message or job.state}")
        if st.button("Stop the simulation"):
            frame.store().cancel(job.id)
        return
    if st.session_state.pop(place, None) is not None:
        st.rerun()
    if job and job.state == "failed":
        st.error(f"The last simulation failed: {job.error}")
    help_ = (
        f"What {project.sampler} draws, up to {simulation.AHEAD} rounds ahead, with the labels that came with "
        f"{project.source}: what to expect of annotation without mistakes. Goes on where it was stopped."
    )
    if st.button("Simulate with gold labels", help=help_):
        jobs.start(frame.store(), project.id, "simulate", {"task": task})
        st.rerun(scope="fragment")
