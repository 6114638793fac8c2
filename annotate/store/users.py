"""Who may sign in."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, insert, select, update

from annotate.store.database import Database
from annotate.store.errors import StoreError
from annotate.store.tables import User, Users, columns

ROLES = ("annotator", "curator", "admin")

CREDENTIALS = select(*columns(User), Users.c.password_hash).where(Users.c.name == bindparam("name"))


class UserStore(Database):
    """Users, their roles and the hashes of their passwords; nothing here knows a password."""

    def users(self) -> list[User]:
        """Return everybody by name, also those who are not active."""
        with self.reading() as db:
            return [User(*row) for row in db.execute(select(*columns(User)).order_by(Users.c.name))]

    def user(self, name: str) -> User | None:
        """Return the user of a name, or None."""
        with self.reading() as db:
            row = db.execute(select(*columns(User)).where(Users.c.name == name)).first()
        return None if row is None else User(*row)

    def add_user(self, name: str, password_hash: str, role: str = "annotator") -> User:
        """Add somebody.

        Raises:
            StoreError: when the name is taken or cannot be one, or there is no such role.
        """
        if not name.strip() or name != name.strip() or "," in name or not name.isprintable():
            raise StoreError(f"{name!r} cannot be a name; write one without commas and spaces around it")
        values = {"name": name, "password_hash": password_hash, "role": _role(role), "active": True}
        with self.writing() as db:
            if db.scalar(select(Users.c.id).where(Users.c.name == name)) is not None:
                raise StoreError(f"there is a user {name!r} already; choose another name")
            return User(*db.execute(insert(Users).values(values).returning(*columns(User))).one())

    def set_password(self, name: str, password_hash: str) -> None:
        """Replace the hash of somebody's password."""
        self._change_user(name, password_hash=password_hash)

    def set_role(self, name: str, role: str) -> None:
        """Make somebody annotator, curator or admin."""
        self._change_user(name, role=_role(role))

    def set_active(self, name: str, active: bool) -> None:
        """Let somebody sign in, or no longer; what they have done stays."""
        self._change_user(name, active=active)

    def credentials(self, name: str) -> tuple[User, str] | None:
        """Return the user of a name with the hash of their password, or None."""
        with self.reading() as db:
            row = db.execute(CREDENTIALS, {"name": name}).first()
        return None if row is None else (User(*row[:-1]), row[-1])

    def _change_user(self, name: str, **values: Any) -> None:
        with self.writing() as db:
            if not db.execute(update(Users).where(Users.c.name == name).values(values)).rowcount:
                raise StoreError(f"no user {name!r}; add them first")


def _role(role: str) -> str:
    if role not in ROLES:
        raise StoreError(f"no role {role!r}; choose from {', '.join(ROLES)}")
    return role
