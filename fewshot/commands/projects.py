"""``fewshot projects | export | import``: what the annotation app holds, out of it and into it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from annotate.exchange import annotations as exchange
from annotate.store import REVIEW, Project, Store
from fewshot.corpora import formats
from fewshot.errors import FewshotError, UnknownNameError

PARTS = {"shots": "pool", "test": "test", "all": None}
"""What may be exported, and the split that it is."""

SHOWN = 10
"""Most bad rows of an import that are printed."""


@dataclass(frozen=True, slots=True)
class Export:
    """The options of the command, see ``fewshot export --help``."""

    project: str
    task: str
    format: str
    out: Path
    annotator: str | None
    part: str


def show(db: str | None, console: Console) -> None:
    """Print the projects and how far they are."""
    store = Store.open(db)
    table = Table("", "project", "language", "tasks", "pool", "done", box=None, header_style="dim")
    for project in store.projects():
        rows = [row for row in store.progress(project.id) if row.purpose != REVIEW]
        done = f"{sum(row.done for row in rows)} of {sum(row.total for row in rows)}"
        pool = f"{project.pool_size:,}"
        table.add_row(str(project.id), project.name, project.lang, ", ".join(project.tasks), pool, done)
    console.print(table if table.row_count else "no project yet: fewshot app makes one")


def export(request: Export, db: str | None, console: Console) -> None:
    """Write annotations to a file."""
    store = Store.open(db)
    project = _project(store, request.project)
    names = [_task(project, name.strip()) for name in request.task.split(",")]
    if request.part not in PARTS:
        raise UnknownNameError("part", request.part, PARTS)
    people = exchange.annotators(store, project)
    if request.annotator is not None and request.annotator not in people:
        raise UnknownNameError("annotator with finished work", request.annotator, people)
    found = exchange.annotated(store, project, names, request.annotator, PARTS[request.part])
    if not found.examples:
        raise FewshotError(f"nothing of {request.task} is annotated in {project.name} yet")
    formats.export(found.examples, names, request.format, request.out)
    console.print(f"{len(found.examples)} {project.kind} are in {request.out}", soft_wrap=True)
    if found.disputed:
        console.print(f"{found.disputed} in dispute are left out; decide them on the Review page of the app")


def take(name: str, file: Path, task: str, annotator: str, db: str | None, console: Console) -> None:
    """Save the annotations of a file."""
    store = Store.open(db)
    project = _project(store, name)
    done = exchange.take(store, project, _task(project, task), file, annotator)
    console.print(f"{done.saved} saved, {done.unknown} not in {project.name}, {done.wrong} not valid", soft_wrap=True)
    for problem in done.problems[:SHOWN]:
        console.print(f"  {problem.where}: {problem.message}", soft_wrap=True)
    if len(done.problems) > SHOWN:
        console.print(f"  and {len(done.problems) - SHOWN} more")


def _project(store: Store, name: str) -> Project:
    """Return the project of a name or number."""
    found = [project for project in store.projects() if name in (project.name, str(project.id))]
    if not found:
        raise UnknownNameError("project", name, [project.name for project in store.projects()])
    if len(found) > 1:
        numbers = ", ".join(str(project.id) for project in found)
        raise FewshotError(f"several projects are called {name!r}; give a number: {numbers}")
    return found[0]


def _task(project: Project, name: str) -> str:
    if name not in project.tasks:
        raise UnknownNameError(f"task of {project.name}", name, project.tasks)
    return name
