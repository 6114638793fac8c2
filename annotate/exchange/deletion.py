"""Deletion of a project from the database and from this machine."""

from __future__ import annotations

from annotate.exchange import recordings
from annotate.store import GoneError, Project, Store
from annotate.worker import files
from fewshot.errors import listed


def holdings(store: Store, project: Project) -> str:
    """Return a text that lists what is deleted with a project."""
    held = store.count_rows(project.id)
    people = sorted({row.annotator for row in store.progress(project.id) if row.annotator and row.done})
    who = f" of {listed(people)}" if people else ""
    nouns = {"examples": project.kind.removesuffix("s"), "rounds": "round", "revisions": "saved annotation"}
    parts = [
        f"{held[table]:,} {noun}{'' if held[table] == 1 else 's'}{who if table == 'revisions' else ''}"
        for table, noun in (nouns | {"comments": "comment", "results": "score"}).items()
        if held[table]
    ]
    if sounds := len(recordings.kept(store, project)):
        parts.append(f"{sounds:,} recording{'' if sounds == 1 else 's'} on this machine")
    return listed([*parts, *(["its models and answers on this machine"] if files.present(project) else [])])


def delete(store: Store, project: Project) -> None:
    """Delete a project with everything in it, and the files of its jobs on this machine.

    Raises:
        GoneError: when the project is deleted already, also if a new one has its id.
        FewshotError: when a file cannot be removed; the project is deleted nevertheless.
    """
    if not store.has_project(project):
        raise GoneError(f"{project.name} was deleted already; choose another project")
    job_ids = [job.id for job in store.jobs(project.id)]
    store.delete_project(project.id)
    recordings.remove_all(store, project)
    files.remove(project, job_ids)
