"""What the store says when a database does not do what it should."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from fewshot.errors import FewshotError


class StoreError(FewshotError):
    """A database that cannot be used, or something that is not in it."""


class OvertakenError(StoreError):
    """A version that somebody made without knowing of the newest one; nothing was stored."""


LOCKED = "the database is locked by another program; nothing was saved: wait a moment and do it again"
FULL = "the disk of the database is full; nothing was saved: free some space and do it again"
REASONS = {
    "database is locked": LOCKED,
    "database table is locked": LOCKED,
    "lock timeout": LOCKED,
    "disk is full": FULL,
    "no space left": FULL,
    "no such table": "this database has no tables yet; open it with Store.open",
    "does not exist": "no such database, or no tables in it; create the database and open it with Store.open",
    "unable to open database file": "the file cannot be opened; check that its folder exists and is yours",
    "readonly database": "the file may not be written; check whose it is and its permissions",
    "file is not a database": "this file is no SQLite database; choose another name or restore a backup",
    "malformed": "the database file is damaged; restore a backup",
    "disk i/o error": "the disk of the database does not read or write; check it, and restore a backup if need be",
    "password authentication failed": "wrong user or password; correct FEWSHOT_DB_URL",
    "connection": "the database cannot be reached; check that its server runs and FEWSHOT_DB_URL",
}
"""What to do, by a part of what SQLite and PostgreSQL say. The first match counts."""

CODES = {"55P03": LOCKED, "40P01": LOCKED, "40001": LOCKED, "53100": FULL}
"""The same by the error code of PostgreSQL, which stays the same in every language of a server."""


def explained(error: Exception, place: str) -> StoreError:
    """Return the error of a driver, about the database of a place, as one line that says what to do."""
    if isinstance(error, UnicodeEncodeError):
        return StoreError(f"{place}: a text holds half a character (a lone surrogate); write it whole")
    if isinstance(error, PoolTimeout):
        return StoreError(f"{place}: {LOCKED}")
    said = " ".join(str(error.orig if isinstance(error, DBAPIError) else error).split())
    if isinstance(error, IntegrityError):
        if "items.annotator" in said or "one_item_a_person" in said:
            return StoreError("one person would get the same example for the same task twice; draw other examples")
        return StoreError(f"{place}: refused, since it would contradict what is stored ({said})")
    code = getattr(getattr(error, "orig", None), "sqlstate", None)
    advice = CODES.get(code or "") or next((advice for part, advice in REASONS.items() if part in said.lower()), None)
    return StoreError(f"{place}: {advice}" if advice else f"{place}: the database says: {said}")
