"""Commands of the annotation app: serving it, its people, what goes in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fewshot.cli.base import Database, RatesFile, app, command, console, users_app

ProjectName = Annotated[str, typer.Argument(help="Name or number of a project.", show_default=False)]
UserName = Annotated[str, typer.Argument(help="Name with which the person signs in.", show_default=False)]


@command(app, "app", stopped="what was annotated is saved")
def open_app(
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8501,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0: other machines too.")] = "127.0.0.1",
    db: Database = None,
    users: Annotated[bool, typer.Option("--users", help="Ask for a name and a password.")] = False,
    worker: Annotated[bool, typer.Option("--worker", help="Leave computing to fewshot worker.")] = False,
    rates: RatesFile = None,
) -> None:
    """Annotate in the browser."""
    from fewshot.commands import app as job

    job.serve(port, host, db, users, worker, rates, console())


@command(app, stopped="a job that was running goes on with the next worker")
def worker(db: Database = None) -> None:
    """Do the jobs of the app, such as suggestions, on this machine."""
    from fewshot.commands import app as job

    job.work(db, console())


@command(app)
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write.", show_default=False)],
    db: Database = None,
) -> None:
    """Write everything that was annotated to one file."""
    from fewshot.commands import backup as job

    job.backup(file, db, console())


@command(app)
def restore(
    file: Annotated[Path, typer.Argument(help="A file that fewshot backup wrote.", show_default=False)],
    db: Database = None,
) -> None:
    """Fill an empty database from a backup, SQLite or PostgreSQL."""
    from fewshot.commands import backup as job

    job.restore(file, db, console())


@command(app)
def projects(db: Database = None) -> None:
    """List the projects of the app, and how far they are."""
    from fewshot.commands import projects as job

    job.show(db, console())


@command(app, "export")
def export_annotations(
    project: ProjectName,
    task: Annotated[str, typer.Option(help="Tasks, with commas: pos,dep.", show_default=False)],
    to: Annotated[str, typer.Option(help="Format: conllu, bio, jsonl, squad ...", show_default=False)],
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
    annotator: Annotated[str | None, typer.Option(help="Only this person's.", show_default="gold")] = None,
    part: Annotated[str, typer.Option(help="shots, test or all.")] = "all",
    db: Database = None,
) -> None:
    """Write the annotations of a project in a format of the field."""
    from fewshot.commands import projects as job

    job.export(job.Export(project, task, to, out, annotator, part), db, console())


@command(app, "import")
def import_annotations(
    project: ProjectName,
    file: Annotated[Path, typer.Argument(help="Annotated file, in any format of export.", show_default=False)],
    task: Annotated[str, typer.Option(help="Task whose annotation the file holds.", show_default=False)],
    annotator: Annotated[str, typer.Option(help="Whose annotations they are.", show_default=False)],
    db: Database = None,
) -> None:
    """Save the annotations of a file as somebody's, for the examples that a project has."""
    from fewshot.commands import projects as job

    job.take(project, file, task, annotator, db, console())


@command(users_app, "list")
def users_list(db: Database = None) -> None:
    """List who may sign in."""
    from fewshot.commands import users as job

    job.show(db, console())


@command(users_app, "add")
def users_add(
    name: UserName,
    role: Annotated[str, typer.Option(help="annotator, curator or admin.")] = "annotator",
    oidc: Annotated[bool, typer.Option("--oidc", help="No password: NAME is an e-mail address.")] = False,
    db: Database = None,
) -> None:
    """Let somebody sign in; the password is asked for, or read from the standard input."""
    from fewshot.commands import users as job

    job.add(name, role, oidc, db, console())


@command(users_app, "password")
def users_password(name: UserName, db: Database = None) -> None:
    """Give somebody a new password; every browser has to sign in again."""
    from fewshot.commands import users as job

    job.password(name, db, console())


@command(users_app, "role")
def users_role(
    name: UserName,
    role: Annotated[str, typer.Argument(help="annotator, curator or admin.", show_default=False)],
    db: Database = None,
) -> None:
    """Give somebody another role."""
    from fewshot.commands import users as job

    job.role(name, role, db, console())


@command(users_app, "shut-out")
def users_shut_out(name: UserName, db: Database = None) -> None:
    """Keep somebody from signing in; their annotations stay."""
    from fewshot.commands import users as job

    job.active(name, False, db, console())


@command(users_app, "let-in")
def users_let_in(name: UserName, db: Database = None) -> None:
    """Let somebody sign in again."""
    from fewshot.commands import users as job

    job.active(name, True, db, console())
