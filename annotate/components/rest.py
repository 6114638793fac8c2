"""The rest of the pool, labelled by the newest model: a part of the train page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from annotate.components import frame
from annotate.components import jobs as progress
from annotate.store import Project
from annotate.worker import queue as jobs


@st.fragment(run_every=2.0)
def show(project: Project, task: str, model: str) -> None:
    """Offer to label what nobody has annotated with a model, and the file of the last time."""
    if not frame.may_curate():
        return
    unfinished = progress.lines(project, "predict")
    made = frame.store().labelled_file(project.id, task)
    with st.container(horizontal=True, vertical_alignment="center"):
        if not any(task == jobs.subject(job) for job in unfinished) and st.button(
            "Label the rest", help=f"The newest model labels all {project.kind} of the pool that nobody has annotated."
        ):
            jobs.start(frame.store(), project.id, "predict", {"task": task, "model": model})
            st.rerun(scope="fragment")
        if made:
            _file(project, task, Path(made.path), made.examples)


def _file(project: Project, task: str, path: Path, count: int) -> None:
    what = f"{count:,} {project.kind}, labelled by a model"
    if not path.is_file():
        st.caption(f"{what}, are on the machine that did it: {path}")
        return
    name = f"{frame.file_name(project)}-{task}-labelled{path.suffix}"
    st.download_button("Labelled", path.read_bytes, name, on_click="ignore", icon=frame.DOWNLOAD)
    st.caption(what)
