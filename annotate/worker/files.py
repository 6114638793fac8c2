"""What jobs leave of a project on a machine: its models, what these have labelled, answers, and logs."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from annotate.store import Project
from annotate.worker.queue import log_file
from fewshot.corpora.files import private_user_dir, user_dir
from fewshot.errors import FewshotError


def training(project: Project) -> Path:
    """Return the folder of a project's experiments, with their models."""
    return user_dir() / "training" / folder_name(project)


def labelled(project: Project) -> Path:
    """Return the folder of what models have labelled of a project's pool."""
    return user_dir() / "labelled" / folder_name(project)


def answers(project: Project) -> Path:
    """Return the folder of what a language model has answered in a project."""
    return private_user_dir() / "answers" / folder_name(project)


def present(project: Project) -> bool:
    """Return whether there are models, labelled files or answers of a project on this machine."""
    return any(folder.is_dir() for folder in _folders(project))


def remove(project: Project, job_ids: Iterable[int]) -> None:
    """Remove what is on this machine of a project that is deleted.

    Args:
        job_ids: of the project; later jobs may have the same ids, and shall not go on with these logs.

    Raises:
        FewshotError: with the place of what cannot be removed.
    """
    try:
        for folder in _folders(project):
            if folder.is_dir():
                shutil.rmtree(folder)
        for job_id in job_ids:
            log_file(job_id).unlink(missing_ok=True)
    except OSError as error:
        raise FewshotError(f"{error.filename}: {error.strerror}; the project is deleted, remove this by hand") from None


def _folders(project: Project) -> tuple[Path, ...]:
    return training(project), labelled(project), answers(project)


def folder_name(project: Project) -> str:
    """Return the name of a project's folders: a later project may have its id, but not its time too."""
    return f"{project.id}-{project.created:%Y%m%d%H%M%S}"
