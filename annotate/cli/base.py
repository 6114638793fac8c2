"""Shared parts of the app's commands: options, the database, and projects by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fewshot.cli.common.base import console
from fewshot.cli.common.llm import check_cap
from fewshot.errors import FewshotError, UnknownNameError, counted, listed
from fewshot.options import LANGUAGE_MODEL, LlmOptions, copy_option, option

if TYPE_CHECKING:
    from annotate.store import Project, Store
    from fewshot.corpora.files import Report
    from fewshot.corpora.formats import BadRows

MAX_PRINTED_ROWS = 10

Database = Annotated[
    str | None,
    typer.Option(
        "--db", help="sqlite:///FILE or postgresql://USER@HOST/NAME.", show_default="FEWSHOT_DB_URL, else a file"
    ),
]
ProjectName = Annotated[str, typer.Argument(help="Name or number of a project.", show_default=False)]


@dataclass(frozen=True, slots=True)
class SuggestionOptions:
    """Options of a language model that suggests labels; without ``llm`` there is none."""

    llm: str | None = option(
        None, panel=LANGUAGE_MODEL, help="Language model that suggests labels in projects that show its suggestions."
    )
    llm_url: str = copy_option(LlmOptions, "llm_url")
    llm_cap: float = option(
        1.0, panel=LANGUAGE_MODEL, minimum=0, help="Most dollars to spend on its answers per project."
    )
    llm_timeout: float = copy_option(LlmOptions, "llm_timeout")


def serve_database(db: str | None) -> Store:
    """Open the database and pass its URL to child processes."""
    from annotate.store import Store
    from annotate.store.database import URL_VARIABLE

    if db:
        os.environ[URL_VARIABLE] = db
    return Store.open()


def export_rates(rates: Path | None) -> None:
    """Pass a file of prices, if any, to jobs of this process and its children."""
    from annotate.worker.settings import RATES
    from fewshot.costs import prices

    if rates is not None:
        prices.load(rates)  # fails now rather than on a page
        os.environ[RATES] = str(rates.resolve())


def export_language_model(options: SuggestionOptions) -> None:
    """Pass the language model of the options, or none, to jobs, and print where texts are sent."""
    from annotate.worker import settings
    from fewshot.llm import Client

    settings.clear_language_model()
    if options.llm is None:
        return
    model = settings.LanguageModelSettings.create(
        options.llm, options.llm_url, check_cap(options.llm_cap), options.llm_timeout
    )
    Client(model.server).close()
    model.export()
    notice = model.server.notice("texts of projects that show its suggestions")
    console().print(f"LLM: {notice}; at most ${model.cap:g} in each project (--llm-cap)", soft_wrap=True)


def open_project(name: str, db: str | None) -> tuple[Store, Project]:
    """Return the database, and the project with a name or number, archived or not.

    Raises:
        FewshotError: unless there is exactly one such project.
    """
    from annotate.store import Store

    store = Store.open(db)
    projects = store.projects(archived=None)
    matches = [project for project in projects if name in (project.name, str(project.id))]
    if not matches:
        raise UnknownNameError("project", name, [project.name for project in projects])
    if len(matches) > 1:
        numbers = ", ".join(str(project.id) for project in matches)
        raise FewshotError(f"several projects are named {name!r}; use a number: {numbers}")
    return store, matches[0]


@contextmanager
def reading(leave_out: bool) -> Iterator[Report]:
    """Yield a function that collects bad rows, and print them at the end.

    Raises:
        FewshotError: when there are bad rows, unless `leave_out` is set.
    """
    from fewshot.corpora.formats import BadRows

    bad = BadRows()
    try:
        yield lambda error: bad.add(error.where, error.message)
    except FewshotError:
        if leave_out or not bad:  # else the error only says that no row is left
            raise
    finally:
        print_bad_rows(bad)
    if bad and not leave_out:
        raise FewshotError(f"{counted(bad.total, 'bad rows')}; correct the file, or use --leave-out to skip them")


def warn_of_strangers(store: Store, people: Sequence[str]) -> None:
    """Print a warning if the database has users and some people are none of them."""
    known = {user.name for user in store.users() if user.active}
    if known and (strangers := [name for name in people if name not in known]):
        said = f"warning: {listed(strangers)} cannot sign in to the app; fewshot users add adds people"
        console().print(said, soft_wrap=True)


def print_bad_rows(problems: BadRows) -> None:
    """Print the first bad rows of a file, and the number of further ones."""
    screen = console()
    for problem in problems[:MAX_PRINTED_ROWS]:
        screen.print(f"  {problem.where}: {problem.message}", soft_wrap=True)
    if problems.total > MAX_PRINTED_ROWS:
        screen.print(f"  and {problems.total - MAX_PRINTED_ROWS:,} more")


def check_task(project: Project, name: str) -> None:
    """Raise unless a project has the task."""
    if name not in project.tasks:
        raise UnknownNameError(f"task of {project.name}", name, project.tasks)
