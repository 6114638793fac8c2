"""Users, their roles, and their sign-ins."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, text, update

from annotate.store.database import Database
from annotate.store.errors import StoreError
from annotate.store.records import Session, User
from annotate.store.tables import Logins, Sessions, Users, UtcDateTime, columns

ROLES = ("annotator", "curator", "admin")

CREDENTIALS = select(*columns(Users, User), Users.c.password_hash).where(Users.c.name == bindparam("name"))
DIGEST = Sessions.c.digest == bindparam("digest")
SESSION_USER = (
    select(*columns(Users, User))
    .join(Sessions, Sessions.c.user_id == Users.c.id)
    .where(DIGEST, Sessions.c.expires > bindparam("now", type_=UtcDateTime), Users.c.active)
)


class UserStore(Database):
    """Users, roles, password hashes and sessions; passwords themselves are not stored."""

    def users(self) -> list[User]:
        """Return all users by name, including inactive ones."""
        return self._fetch_all(User, select(*columns(Users, User)).order_by(Users.c.name))

    def user(self, name: str) -> User | None:
        """Return the user with a name, or None."""
        return self._fetch_first(User, select(*columns(Users, User)).where(Users.c.name == name))

    def add_user(self, name: str, password_hash: str, role: str = "annotator", oidc: bool = False) -> User:
        """Add a user; with `oidc`, the name is the e-mail address at the OpenID Connect provider.

        Raises:
            StoreError: when the name is invalid or taken, ignoring case, or there is no such role.
        """
        if not name.strip() or name != name.strip() or "," in name or not name.isprintable():
            raise StoreError(f"{name!r} is not a valid name; leave out commas and surrounding spaces")
        values = {"name": name, "password_hash": password_hash, "role": _role(role), "active": True, "oidc": oidc}
        with self.writing() as db:
            taken = [known for known in db.scalars(select(Users.c.name)) if known.casefold() == name.casefold()]
            if taken:
                advice = f"; to use this spelling: fewshot users oidc {taken[0]} --address {name}" if oidc else ""
                raise StoreError(f"user {taken[0]!r} exists already; choose another name{advice}")
            return User(*db.execute(insert(Users).values(values).returning(*columns(Users, User))).one())

    def set_password(self, name: str, password_hash: str) -> None:
        """Replace a user's password hash and end all of their sessions."""
        self._change_user(name, ends=True, password_hash=password_hash)

    def set_role(self, name: str, role: str) -> None:
        """Make a user annotator, curator or admin."""
        self._change_user(name, role=_role(role))

    def set_active(self, name: str, active: bool) -> None:
        """Allow or forbid a user to sign in; their annotations stay, and all of their sessions end."""
        self._change_user(name, ends=True, active=active)

    def allow_oidc(self, name: str, address: str | None = None) -> None:
        """Allow a user to sign in with OpenID Connect; a linked identity is removed, and their sessions end.

        Args:
            address: the name as the provider writes it, if its letter case differs; StoreError for any other name.
        """
        if address and address.casefold() != name.casefold():
            raise StoreError(f"{address} differs from {name} by more than letter case; add a user named {address}")
        if address and address != name and self.user(address):
            raise StoreError(f"{address} is another user already; allow that user to sign in")
        self._change_user(name, ends=True, oidc=True, issuer=None, subject=address)

    def user_of_identity(self, issuer: str, subject: str) -> User | None:
        """Return the user linked to an OpenID Connect identity, or None."""
        query = select(*columns(Users, User)).where(Users.c.oidc, Users.c.issuer == issuer, Users.c.subject == subject)
        return self._fetch_first(User, query)

    def link_identity(self, address: str, issuer: str, subject: str) -> User | None:
        """Link an OpenID Connect identity to the active, unlinked user of an address; None if there is none."""
        expected = func.coalesce(Users.c.subject, Users.c.name)  # without an issuer, subject is the expected address
        unlinked = (expected == address, Users.c.oidc, Users.c.active, Users.c.issuer.is_(None))
        change = update(Users).where(*unlinked).values(issuer=issuer, subject=subject).returning(*columns(Users, User))
        with self.writing() as db:
            row = db.execute(change).first()
        return None if row is None else User(*row)

    def use_login(self, digest: str, expires: datetime) -> bool:
        """Return True at the first use of a sign-in; it is forgotten once it `expires`."""
        with self.writing() as db:
            db.execute(delete(Logins).where(Logins.c.expires <= self.now()))
            added = text("INSERT INTO logins (digest, expires) VALUES (:digest, :expires) ON CONFLICT DO NOTHING")
            typed = added.bindparams(bindparam("expires", type_=UtcDateTime))
            return db.execute(typed, {"digest": digest, "expires": expires}).rowcount == 1

    def credentials(self, name: str) -> tuple[User, str] | None:
        """Return the user with a name and the hash of their password, or None."""
        with self.reading() as db:
            row = db.execute(CREDENTIALS, {"name": name}).first()
        return None if row is None else (User(*row[:-1]), row[-1])

    def open_session(self, name: str, digest: str, browser: str, lasts: timedelta) -> None:
        """Sign a browser in as a user; expired sessions of all users are deleted.

        Args:
            digest: hash of the browser's token.
            browser: its user agent.

        Raises:
            StoreError: when there is no such user.
        """
        now = self.now()
        with self.writing() as db:
            db.execute(delete(Sessions).where(Sessions.c.expires <= now))
            values = {"digest": digest, "browser": browser, "created": now, "expires": now + lasts}
            db.execute(insert(Sessions).values(user_id=_user_id(db, name), **values))

    def session_user(self, digest: str) -> User | None:
        """Return the active user who is signed in with a token, or None."""
        return self._fetch_first(User, SESSION_USER, {"digest": digest, "now": self.now()})

    def sessions(self, name: str) -> list[Session]:
        """Return the sessions of a user, newest first."""
        query = (
            select(*columns(Sessions, Session))
            .join(Users, Sessions.c.user_id == Users.c.id)
            .where(Users.c.name == name, Sessions.c.expires > self.now())
            .order_by(Sessions.c.id.desc())
        )
        return self._fetch_all(Session, query)

    def end_session(self, digest: str) -> None:
        """End one session by the hash of its token."""
        with self.writing() as db:
            db.execute(delete(Sessions).where(Sessions.c.digest == digest))

    def end_sessions(self, name: str, session_id: int | None = None) -> int:
        """End all sessions of a user, or one, and return their number; StoreError for an unknown user."""
        with self.writing() as db:
            theirs = Sessions.c.user_id == _user_id(db, name)
            chosen = [] if session_id is None else [Sessions.c.id == session_id]
            return db.execute(delete(Sessions).where(theirs, *chosen)).rowcount

    def _change_user(self, name: str, ends: bool = False, **values: Any) -> None:
        with self.writing() as db:
            user_id = _user_id(db, name)
            db.execute(update(Users).where(Users.c.id == user_id).values(values))
            if ends:
                db.execute(delete(Sessions).where(Sessions.c.user_id == user_id))


def _user_id(db: Connection, name: str) -> int:
    user_id = db.scalar(select(Users.c.id).where(Users.c.name == name))
    if user_id is None:
        raise StoreError(f"no user {name!r}; add them first")
    return int(user_id)


def _role(role: str) -> str:
    if role not in ROLES:
        raise StoreError(f"no role {role!r}; choose from {', '.join(ROLES)}")
    return role
