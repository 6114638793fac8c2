"""``fewshot users``: who may sign in to the annotation app."""

from __future__ import annotations

import getpass
import sys

from rich.console import Console
from rich.table import Table

from annotate import accounts
from annotate.store import Store, User
from fewshot.errors import FewshotError, UnknownNameError


def show(db: str | None, console: Console) -> None:
    """Print who may sign in."""
    store = Store.open(db)
    found = store.users()
    if not found:
        console.print("nobody may sign in yet: fewshot users add NAME --role admin")
        return
    table = Table("name", "role", "", box=None, header_style="dim")
    for user in found:
        table.add_row(user.name, user.role, "" if user.active else "shut out")
    console.print(table)


def add(name: str, role: str, oidc: bool, db: str | None, console: Console) -> None:
    """Add somebody, with a password or, by their e-mail address, for the provider that the server asks."""
    store = Store.open(db)
    _check_role(role)
    if oidc and "@" not in name:
        raise FewshotError(f"{name} is no e-mail address; --oidc takes the one that the organisation knows")
    if store.user(name) is not None:
        raise FewshotError(f"{name} may sign in already; fewshot users password {name} sets a new password")
    store.add_user(name, accounts.unknown() if oidc else accounts.hashed(_asked()), role)
    console.print(f"{name} may sign in as {role}")


def password(name: str, db: str | None, console: Console) -> None:
    """Set a new password."""
    store = Store.open(db)
    _known(store, name)
    store.set_password(name, accounts.hashed(_asked()))
    console.print(f"{name} has a new password")


def role(name: str, new: str, db: str | None, console: Console) -> None:
    """Set another role."""
    store = Store.open(db)
    _known(store, name)
    _check_role(new)
    store.set_role(name, new)
    console.print(f"{name} is {new} now")


def active(name: str, is_active: bool, db: str | None, console: Console) -> None:
    """Shut somebody out, or let them in again."""
    store = Store.open(db)
    _known(store, name)
    store.set_active(name, is_active)
    console.print(f"{name} may {'sign in again' if is_active else 'not sign in any more'}")


def _known(store: Store, name: str) -> User:
    found = store.user(name)
    if found is None:
        raise UnknownNameError("user", name, [user.name for user in store.users()])
    return found


def _check_role(name: str) -> None:
    if name not in accounts.ROLES:
        raise UnknownNameError("role", name, accounts.ROLES)


def _asked() -> str:
    """Return a password: typed twice without echo, or the first line of what is piped in."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    given = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != given:
        raise FewshotError("the two are not the same; nothing was changed")
    return given
