"""What the app's commands share: the database, and how a project is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.base import console
from fewshot.errors import FewshotError, UnknownNameError

if TYPE_CHECKING:
    from annotate.store import Project, Store
    from fewshot.corpora.files import Report
    from fewshot.corpora.formats import BadRows

SHOWN = 10
"""Most bad rows that are printed."""

Database = Annotated[
    str | None,
    typer.Option(
        "--db", help="sqlite:///FILE or postgresql://USER@HOST/NAME.", show_default="FEWSHOT_DB_URL, else a file"
    ),
]
ProjectName = Annotated[str, typer.Argument(help="Name or number of a project.", show_default=False)]


def serve_database(db: str | None) -> Store:
    """Open the database, and name it to this process and those that it starts."""
    from annotate.store import Store
    from annotate.store.database import ENVIRONMENT

    if db:
        os.environ[ENVIRONMENT] = db
    return Store.open()


def find_project(store: Store, name: str) -> Project:
    """Return the project of a name or number, also one that is archived.

    Raises:
        FewshotError: when there is none, or several have the name.
    """
    projects = store.projects(archived=None)
    called = [project for project in projects if name in (project.name, str(project.id))]
    if not called:
        raise UnknownNameError("project", name, [project.name for project in projects])
    if len(called) > 1:
        numbers = ", ".join(str(project.id) for project in called)
        raise FewshotError(f"several projects are called {name!r}; give a number: {numbers}")
    return called[0]


@contextmanager
def reading(leave_out: bool) -> Iterator[Report]:
    """Yield what is to be told of bad rows, and print them.

    Args:
        leave_out: whether the command goes on without them.

    Raises:
        FewshotError: when there are any, unless they are left out.
    """
    from fewshot.corpora.formats import BadRows

    bad = BadRows()
    try:
        yield lambda error: bad.add(error.where, error.message)
    finally:
        print_bad_rows(bad)
    if bad and not leave_out:
        raise FewshotError(f"{bad.total:,} bad rows; correct them, or --leave-out takes the others alone")


def print_bad_rows(problems: BadRows) -> None:
    """Print the first bad rows of a file, and how many more there are."""
    screen = console()
    for problem in problems[:SHOWN]:
        screen.print(f"  {problem.where}: {problem.message}", soft_wrap=True)
    if problems.total > SHOWN:
        screen.print(f"  and {problems.total - SHOWN:,} more")


def check_task(project: Project, name: str) -> None:
    """Raise unless a project has the task."""
    if name not in project.tasks:
        raise UnknownNameError(f"task of {project.name}", name, project.tasks)
