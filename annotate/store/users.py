"""Who may sign in."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, text, update

from annotate.store.database import Database
from annotate.store.errors import StoreError
from annotate.store.records import Session, User, columns
from annotate.store.tables import Logins, Moment, Sessions, Users

ROLES = ("annotator", "curator", "admin")

CREDENTIALS = select(*columns(Users, User), Users.c.password_hash).where(Users.c.name == bindparam("name"))


DIGEST = Sessions.c.digest == bindparam("digest")
OF_SESSION = (
    select(*columns(Users, User))
    .join(Sessions, Sessions.c.user_id == Users.c.id)
    .where(DIGEST, Sessions.c.expires > bindparam("now", type_=Moment), Users.c.active)
)


class UserStore(Database):
    """Users, their roles, the hashes of their passwords, and their sessions; nothing here knows a password."""

    def users(self) -> list[User]:
        """Return everybody by name, also those who are not active."""
        return self._fetch_all(User, select(*columns(Users, User)).order_by(Users.c.name))

    def user(self, name: str) -> User | None:
        """Return the user of a name, or None."""
        return self._fetch_first(User, select(*columns(Users, User)).where(Users.c.name == name))

    def add_user(self, name: str, password_hash: str, role: str = "annotator", oidc: bool = False) -> User:
        """Add somebody.

        Args:
            oidc: whether they sign in with OpenID Connect; their name is their e-mail address there.

        Raises:
            StoreError: when the name is taken, perhaps in other letters, or cannot be one, or there is no such role.
        """
        if not name.strip() or name != name.strip() or "," in name or not name.isprintable():
            raise StoreError(f"{name!r} cannot be a name; write one without commas and spaces around it")
        values = {"name": name, "password_hash": password_hash, "role": _role(role), "active": True, "oidc": oidc}
        with self.writing() as db:
            taken = [known for known in db.scalars(select(Users.c.name)) if known.casefold() == name.casefold()]
            if taken:
                way = f"; for these letters: fewshot users oidc {taken[0]} --address {name}" if oidc else ""
                raise StoreError(f"there is a user {taken[0]!r} already; choose another name{way}")
            return User(*db.execute(insert(Users).values(values).returning(*columns(Users, User))).one())

    def set_password(self, name: str, password_hash: str) -> None:
        """Replace the hash of somebody's password; no browser is known as theirs any more."""
        self._change_user(name, ends=True, password_hash=password_hash)

    def set_role(self, name: str, role: str) -> None:
        """Make somebody annotator, curator or admin."""
        self._change_user(name, role=_role(role))

    def set_active(self, name: str, active: bool) -> None:
        """Let somebody sign in, or no longer; what they have done stays, and no browser is known as theirs any more."""
        self._change_user(name, ends=True, active=active)

    def allow_oidc(self, name: str, address: str | None = None) -> None:
        """Let somebody sign in with OpenID Connect; who they were there is forgotten, and their sessions end.

        Args:
            address: their name as the provider writes it, where that is in other letters.

        Raises:
            StoreError: when that is another name, or the name of somebody else.
        """
        if address and (address.casefold() != name.casefold() or (address != name and self.user(address))):
            raise StoreError(f"{address} is not {name} in other letters; add a user of that name")
        self._change_user(name, ends=True, oidc=True, issuer=None, subject=address)

    def user_of_identity(self, issuer: str, subject: str) -> User | None:
        """Return whom a provider of OpenID Connect names so, None where that is nobody yet."""
        query = select(*columns(Users, User)).where(Users.c.oidc, Users.c.issuer == issuer, Users.c.subject == subject)
        return self._fetch_first(User, query)

    def link_identity(self, address: str, issuer: str, subject: str) -> User | None:
        """Store by what a provider names somebody from now on, and return them.

        Returns:
            None where nobody of this address signs in so, or a provider has named them otherwise before.
        """
        own = func.coalesce(Users.c.subject, Users.c.name)  # the subject, without an issuer, is an address to wait for
        free = (own == address, Users.c.oidc, Users.c.active, Users.c.issuer.is_(None))
        change = update(Users).where(*free).values(issuer=issuer, subject=subject).returning(*columns(Users, User))
        with self.writing() as db:
            row = db.execute(change).first()
        return None if row is None else User(*row)

    def use_login(self, digest: str, expires: datetime) -> bool:
        """Return whether a sign-in with OpenID Connect is used for the first time; of several callers, for one it is.

        Args:
            expires: when the sign-in is forgotten, since it is too old by then.
        """
        with self.writing() as db:
            db.execute(delete(Logins).where(Logins.c.expires <= self.now()))
            added = text("INSERT INTO logins (digest, expires) VALUES (:digest, :expires) ON CONFLICT DO NOTHING")
            typed = added.bindparams(bindparam("expires", type_=Moment))
            return db.execute(typed, {"digest": digest, "expires": expires}).rowcount == 1

    def credentials(self, name: str) -> tuple[User, str] | None:
        """Return the user of a name with the hash of their password, or None."""
        with self.reading() as db:
            row = db.execute(CREDENTIALS, {"name": name}).first()
        return None if row is None else (User(*row[:-1]), row[-1])

    def open_session(self, name: str, digest: str, browser: str, lasts: timedelta) -> None:
        """Know a browser as somebody's from now on; sessions that have expired are forgotten.

        Args:
            digest: of what the browser keeps.
            browser: what it calls itself.
            lasts: for how long.

        Raises:
            StoreError: when there is no such user.
        """
        now = self.now()
        with self.writing() as db:
            db.execute(delete(Sessions).where(Sessions.c.expires <= now))
            values = {"digest": digest, "browser": browser, "created": now, "expires": now + lasts}
            db.execute(insert(Sessions).values(user_id=_user_id(db, name), **values))

    def session_user(self, digest: str) -> User | None:
        """Return as whom a browser is known, None where it is not, or they may not sign in."""
        return self._fetch_first(User, OF_SESSION, {"digest": digest, "now": self.now()})

    def sessions(self, name: str) -> list[Session]:
        """Return the browsers that are known as somebody, the newest first."""
        query = (
            select(*columns(Sessions, Session))
            .join(Users, Sessions.c.user_id == Users.c.id)
            .where(Users.c.name == name, Sessions.c.expires > self.now())
            .order_by(Sessions.c.id.desc())
        )
        return self._fetch_all(Session, query)

    def end_session(self, digest: str) -> None:
        """Know a browser no more."""
        with self.writing() as db:
            db.execute(delete(Sessions).where(Sessions.c.digest == digest))

    def end_sessions(self, name: str, session_id: int | None = None) -> int:
        """Know no browser of somebody any more, or one of them; return how many were known.

        Raises:
            StoreError: when there is no such user.
        """
        with self.writing() as db:
            theirs = Sessions.c.user_id == _user_id(db, name)
            one = [] if session_id is None else [Sessions.c.id == session_id]
            return db.execute(delete(Sessions).where(theirs, *one)).rowcount

    def _change_user(self, name: str, ends: bool = False, **values: Any) -> None:
        with self.writing() as db:
            user_id = _user_id(db, name)
            db.execute(update(Users).where(Users.c.id == user_id).values(values))
            if ends:
                db.execute(delete(Sessions).where(Sessions.c.user_id == user_id))


def _user_id(db: Connection, name: str) -> int:
    found = db.scalar(select(Users.c.id).where(Users.c.name == name))
    if found is None:
        raise StoreError(f"no user {name!r}; add them first")
    return int(found)


def _role(role: str) -> str:
    if role not in ROLES:
        raise StoreError(f"no role {role!r}; choose from {', '.join(ROLES)}")
    return role
