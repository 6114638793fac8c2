"""What keeps projects in order: more for a pool, archive, delete. Parts of the projects page."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.components import fields, frame
from annotate.exchange import deletion, projects
from annotate.store import Project
from annotate.store.backup import backup
from fewshot.errors import FewshotError


def show(project: Project) -> None:
    """Draw what may be done with a project that is not archived."""
    with st.container(horizontal=True):
        if st.button("Add to the pool", icon=":material/playlist_add:", key=f"more {project.id}"):
            _add(project)
        if st.button("Archive", icon=":material/archive:", key=f"archive {project.id}", help="All of it stays"):
            _archive(project, True)
        _delete_button(project)


def archived(found: Sequence[Project]) -> None:
    """Draw the projects that are archived."""
    for project in found:
        name, actions = st.columns([3, 2], vertical_alignment="center")
        name.markdown(f"**{frame.plain(project.name)}**")
        with actions.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Bring back", icon=":material/unarchive:", key=f"bring back {project.id}"):
                _archive(project, False)
            _delete_button(project)


def _archive(project: Project, away: bool) -> None:
    if not frame.may_curate():
        return
    frame.store().update_project(project.id, archived=away)
    st.rerun()


@st.dialog("Add to the pool", width="large")
def _add(project: Project) -> None:
    """Take files; what is new in them joins the pool."""
    if not frame.may_curate():
        return
    with frame.trouble():
        st.caption("What the project has already is left out; its test set stays as it is.")
        upload = fields.upload("Files", project.lang, project.tasks[0], f"of {project.id}")
        if upload is None:
            return
        held = frame.store().project(project.id)
        taken = _more((held.id, held.created, held.pool_size, *upload.key), held, upload.data)
        new = f"{taken.intake.count.kept:,} {project.kind}"
        st.markdown(f"{new} are new{projects.left_out(taken.intake.count)}")
        if st.button(f"Add {new}", type="primary"):
            projects.add(frame.store(), project, upload.data, taken, frame.user().name)
            st.rerun()


@st.cache_data(max_entries=20, show_spinner=False)
def _more(key: tuple[Any, ...], _project: Project, _data: projects.Data) -> projects.Taken:
    """Return what is new of an upload; the key says which examples these are, and which the project has."""
    return projects.more(frame.store(), _project, _data)


def _delete_button(project: Project) -> None:
    if frame.user().role == "admin" and st.button("Delete", icon=":material/delete:", key=f"delete {project.id}"):
        _delete(project)


@st.dialog("Delete a project")
def _delete(project: Project) -> None:
    """Say what goes, offer a backup, and delete a project whose name was typed."""
    if frame.user().role != "admin":
        return
    with frame.trouble():
        held = deletion.holdings(frame.store(), project)
        st.markdown(f"{frame.plain(project.name)} goes for good: {frame.plain(held)}.")
        file = f"{projects.file_name(project)}.gz"
        st.download_button("Backup", partial(_backup, project), file, on_click="ignore", icon=frame.DOWNLOAD)
        st.caption("`fewshot restore` puts it into a new database.")
        typed = st.text_input("Name of the project, to delete it")
        if st.button("Delete all of it"):
            if typed.strip() != project.name:
                raise FewshotError(f"type {project.name} to delete it; nothing was deleted")
            deletion.delete(frame.store(), project)
            st.rerun()


def _backup(project: Project) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "backup.gz"
        backup(frame.store(), path, project.id)
        return path.read_bytes()
