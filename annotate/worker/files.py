"""Files of a project on this machine: models, labelled pools, answers of language models, and logs."""

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
    """Return the folder of pool files labelled by a project's models."""
    return user_dir() / "labelled" / folder_name(project)


def answers(project: Project) -> Path:
    """Return the folder of a language model's answers in a project."""
    return private_user_dir() / "answers" / folder_name(project)


def present(project: Project) -> bool:
    """Return whether this machine has models, labelled files or answers of a project."""
    return any(folder.is_dir() for folder in _folders(project))


def remove(project: Project, job_ids: Iterable[int]) -> None:
    """Remove the files of a deleted project, and the logs of its jobs, since ids may be reused.

    Raises:
        FewshotError: with the path that cannot be removed.
    """
    try:
        for folder in _folders(project):
            if folder.is_dir():
                shutil.rmtree(folder)
        for job_id in job_ids:
            log_file(job_id).unlink(missing_ok=True)
    except OSError as error:
        raise FewshotError(
            f"{error.filename}: {error.strerror}; the project is deleted; remove this path by hand"
        ) from None


def _folders(project: Project) -> tuple[Path, ...]:
    return training(project), labelled(project), answers(project)


def folder_name(project: Project) -> str:
    """Return the folder name of a project; the time makes it unique, since ids are reused."""
    return f"{project.id}-{project.created:%Y%m%d%H%M%S}"
