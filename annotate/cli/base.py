"""What the app's commands share: the database, and how a project is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.common.base import console
from fewshot.cli.common.llm import check_cap
from fewshot.errors import FewshotError, UnknownNameError
from fewshot.options import LANGUAGE_MODEL, LlmOptions, copy_option, option

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


@dataclass(frozen=True, slots=True)
class Suggesting:
    """A language model that suggests labels; where ``llm`` is None there is none."""

    llm: str | None = option(
        None, panel=LANGUAGE_MODEL, help="A language model that suggests labels in projects which show its."
    )
    llm_url: str = copy_option(LlmOptions, "llm_url")
    llm_cap: float = option(
        1.0, panel=LANGUAGE_MODEL, minimum=0, help="Most dollars that its answers may cost in each project."
    )
    llm_timeout: float = copy_option(LlmOptions, "llm_timeout")


def serve_database(db: str | None) -> Store:
    """Open the database, and name it to this process and those that it starts."""
    from annotate.store import Store
    from annotate.store.database import URL_VARIABLE

    if db:
        os.environ[URL_VARIABLE] = db
    return Store.open()


def tell_rates(rates: Path | None) -> None:
    """Let this process and those that it starts know the prices of a file, if one is given."""
    from annotate.worker.settings import RATES
    from fewshot.costs import prices

    if rates is not None:
        prices.load(rates)  # what is wrong with it is said now, not on a page
        os.environ[RATES] = str(rates.resolve())


def tell_language_model(asked: Suggesting) -> None:
    """Let jobs ask the language model that options name, or none, and say where texts are sent.

    Raises:
        FewshotError: when it cannot be asked: see `LanguageModel.of`; or a library is missing.
    """
    from annotate.worker import settings
    from fewshot.llm import Client

    settings.no_language_model()
    if asked.llm is None:
        return
    model = settings.LanguageModel.of(asked.llm, asked.llm_url, check_cap(asked.llm_cap), asked.llm_timeout)
    Client(model.server).close()
    model.tell()
    notice = model.server.notice("texts of projects that show its suggestions")
    console().print(f"LLM: {notice}; at most ${model.cap:g} in each project (--llm-cap)", soft_wrap=True)


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
        rows = "1 bad row" if bad.total == 1 else f"{bad.total:,} bad rows"
        raise FewshotError(f"{rows}; correct what is wrong, or --leave-out takes the others alone")


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
