"""Add to the pool of a project, archive, delete."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from annotate.components import frame, terms, uploads
from annotate.exchange import deletion, pool, project_data, projects
from annotate.language import _, ngettext
from annotate.store import Project
from annotate.store.backup import backup
from fewshot.errors import FewshotError


def show(project: Project) -> None:
    """Draw the actions for a project that is not archived."""
    with st.container(horizontal=True):
        if st.button(_("Add to the pool"), icon=":material/playlist_add:", key=f"more {project.id}"):
            st.dialog(_("Add to the pool"), width="large")(_add)(project)
        if st.button(
            _("Archive"), icon=":material/archive:", key=f"archive {project.id}", help=_("Nothing is deleted")
        ):
            _archive(project, True)
        _delete_button(project)


def archived(projects: Sequence[Project]) -> None:
    """Draw the archived projects."""
    for project in projects:
        name, actions = st.columns([3, 2], vertical_alignment="center")
        name.markdown(f"**{frame.plain(project.name)}**")
        with actions.container(horizontal=True, horizontal_alignment="right"):
            if st.button(_("Restore"), icon=":material/unarchive:", key=f"bring back {project.id}"):
                _archive(project, False)
            _delete_button(project)


def _archive(project: Project, away: bool) -> None:
    if not frame.may_curate():
        return
    frame.store().update_project(project.id, archived=away)
    frame.show_page("Projects")


def _add(project: Project) -> None:
    """Draw the dialog that adds new examples of files to the pool."""
    if not frame.may_curate():
        return
    with frame.trouble():
        st.caption(_("Examples that the project already has are left out. The test set does not change."))
        upload = uploads.upload(_("Files"), project.lang, project.tasks, f"of {project.id}")
        if upload is None:
            return
        held = frame.store().project(project.id)
        upload = upload.flat() if project_data.refuses_nested(held.tasks, held.nested) else upload
        taken = _more((held.id, held.created, held.pool_size, *upload.key), held, upload.data)
        count = taken.intake.count
        new = terms.counted(count.kept, project.kind)
        said = ngettext("{things} is new", "{things} are new", count.kept, things=new)
        st.markdown(said + pool.left_out(taken.intake, added=True))
        if st.button(_("Add {things}", things=new), type="primary"):
            projects.add(frame.store(), project, upload.data, taken, frame.user().name)
            uploads.forget_files()
            st.rerun()


@st.cache_data(max_entries=20, show_spinner=False)
def _more(key: tuple[Any, ...], _project: Project, _data: project_data.Data) -> project_data.Taken:
    """Return the new examples of an upload, cached by its key and the state of the project."""
    return project_data.more(frame.store(), _project, _data)


def _delete_button(project: Project) -> None:
    if frame.user().role == "admin" and st.button(_("Delete"), icon=":material/delete:", key=f"delete {project.id}"):
        st.dialog(_("Delete a project"))(_delete)(project)


def _delete(project: Project) -> None:
    """Draw the dialog that deletes a project: its content, a backup, its name to be typed."""
    if frame.user().role != "admin":
        return
    with frame.trouble():
        held = deletion.holdings(frame.store(), project)
        name = frame.plain(project.name)
        st.markdown(_("{project} will be deleted permanently: {parts}.", project=name, parts=frame.plain(held)))
        file = f"{projects.file_name(project)}.gz"
        frame.download(_("Backup"), partial(_backup, project), file, roles=["admin"])
        st.caption(_("`fewshot restore` restores it into a new database."))
        typed = st.text_input(_("Type the name of the project to delete it"))
        if st.button(_("Delete everything")):
            if typed.strip() != project.name:
                raise FewshotError(_("type {project} to delete the project; nothing was deleted", project=project.name))
            deletion.delete(frame.store(), project)
            frame.show_page("Projects")


def _backup(project: Project) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "backup.gz"
        backup(frame.store(), path, project.id)
        return path.read_bytes()
