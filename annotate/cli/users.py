"""``fewshot users``."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from annotate.cli.base import Database
from fewshot.cli.common.base import app, command, console
from fewshot.errors import FewshotError, UnknownNameError

if TYPE_CHECKING:
    from annotate.store import Store

users_app = typer.Typer(help="People who may sign in to the annotation app.", no_args_is_help=True)
app.add_typer(users_app, name="users")

UserName = Annotated[str, typer.Argument(help="Name with which the person signs in.", show_default=False)]


@command(users_app, "list", example="fewshot users list")
def show(db: Database = None) -> None:
    """List the users."""
    from annotate.store import Store

    users = Store.open(db).users()
    if not users:
        console().print("no users yet; add one with fewshot users add NAME --role admin")
        return
    table = Table("name", "role", "", box=None, header_style="dim")
    for user in users:
        table.add_row(user.name, user.role, "" if user.active else "shut out")
    console().print(table)


@command(users_app, example="fewshot users add ana --role curator")
def add(
    name: UserName,
    role: Annotated[str, typer.Option(help="annotator, curator or admin.")] = "annotator",
    oidc: Annotated[
        bool, typer.Option("--oidc", help="No password: NAME is an e-mail address at the organisation.")
    ] = False,
    db: Database = None,
) -> None:
    """Add a user; the password is prompted for, or read from standard input."""
    from annotate import accounts
    from annotate.store import Store

    store = Store.open(db)
    _check_role(role)
    if oidc:
        _check_address(name)
    if store.user(name) is not None:
        raise FewshotError(f"user {name} exists already; set a new password with fewshot users password {name}")
    store.add_user(name, accounts.random_hash() if oidc else accounts.hash_password(_ask_password()), role, oidc)
    console().print(f"{name} may sign in as {role}")


@command(users_app, example="fewshot users password ana")
def password(name: UserName, db: Database = None) -> None:
    """Set a user's new password; all browsers are signed out."""
    from annotate.accounts import hash_password

    _store_of(name, db).set_password(name, hash_password(_ask_password()))
    console().print(f"{name} has a new password")


@command(users_app, example="fewshot users oidc ana@example.org")
def oidc(
    name: UserName,
    address: Annotated[
        str | None, typer.Option(help="NAME in the organisation's spelling, if its letter case differs.")
    ] = None,
    db: Database = None,
) -> None:
    """Let a user sign in with the organisation, identified by their address there."""
    store = _store_of(name, db)
    _check_address(name)
    store.allow_oidc(name, address)
    console().print(f"{name} may sign in with the organisation")


@command(users_app, example="fewshot users role ana curator")
def role(
    name: UserName,
    role: Annotated[str, typer.Argument(help="annotator, curator or admin.", show_default=False)],
    db: Database = None,
) -> None:
    """Change a user's role."""
    store = _store_of(name, db)
    _check_role(role)
    store.set_role(name, role)
    console().print(f"{name} is {role} now")


@command(users_app, "shut-out", example="fewshot users shut-out ana")
def shut_out(name: UserName, db: Database = None) -> None:
    """Forbid a user to sign in; their annotations stay."""
    _store_of(name, db).set_active(name, False)
    console().print(f"{name} may not sign in any more")


@command(users_app, "let-in", example="fewshot users let-in ana")
def let_in(name: UserName, db: Database = None) -> None:
    """Allow a user to sign in again."""
    _store_of(name, db).set_active(name, True)
    console().print(f"{name} may sign in again")


@command(users_app, example="fewshot users sessions ana")
def sessions(name: UserName, db: Database = None) -> None:
    """List the browsers in which a user is signed in."""
    opened = _store_of(name, db).sessions(name)
    if not opened:
        console().print(f"{name} is not signed in")
        return
    table = Table("since", "until", "browser", box=None, header_style="dim")
    for session in opened:
        table.add_row(f"{session.created:%Y-%m-%d %H:%M}", f"{session.expires:%Y-%m-%d}", escape(session.browser))
    console().print(table)


@command(users_app, "sign-out", example="fewshot users sign-out ana")
def sign_out(name: UserName, db: Database = None) -> None:
    """Sign a user out of all browsers."""
    ended = _store_of(name, db).end_sessions(name)
    console().print(f"{name} is signed out of {ended} {'browser' if ended == 1 else 'browsers'}")


def _store_of(name: str, db: str | None) -> Store:
    """Return the database, or raise if it lacks the user."""
    from annotate.store import Store

    store = Store.open(db)
    if store.user(name) is None:
        raise UnknownNameError("user", name, [user.name for user in store.users()])
    return store


def _check_address(name: str) -> None:
    if "@" not in name:
        raise FewshotError(f"{name} is not an e-mail address; OpenID Connect needs the address at the organisation")


def _check_role(name: str) -> None:
    from annotate.accounts import ROLES

    if name not in ROLES:
        raise UnknownNameError("role", name, ROLES)


def _ask_password() -> str:
    """Return a password, typed twice without echo, or the first line of piped input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    secret = getpass.getpass("Password: ")
    if getpass.getpass("Repeat password: ") != secret:
        raise FewshotError("the passwords differ; nothing was changed")
    return secret
