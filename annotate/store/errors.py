"""The errors of the store, and the advice that replaces messages of the database drivers."""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError, StatementError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from fewshot.errors import FewshotError


class StoreError(FewshotError):
    """A database that cannot be used, or a record that is not in it."""


class ConflictError(StoreError):
    """A revision, draw or addition that is based on outdated data; it was not stored."""


class GoneError(StoreError):
    """A project or item that was deleted, or a sentence that was joined with another one."""


class UnavailableError(StoreError):
    """A database that is locked, full or away; nothing was stored, and a later try may succeed."""


LOCKED = "the database is locked by another program; nothing was saved: wait a moment and try again"
FULL = "the disk of the database is full; nothing was saved: free some space and try again"
ADVICE_BY_MESSAGE = {
    "database is locked": LOCKED,
    "database table is locked": LOCKED,
    "lock timeout": LOCKED,
    "disk is full": FULL,
    "no space left": FULL,
    "no such table": "this database has no tables yet; open it with Store.open",
    "does not exist": "no such database, or no tables in it; create the database and open it with Store.open",
    "unable to open database file": "the file cannot be opened; check that its folder exists and belongs to you",
    "readonly database": "no permission to write the file; check its owner and its permissions",
    "file is not a database": "this file is not a SQLite database; choose another name or restore a backup",
    "malformed": "the database file is damaged; restore a backup",
    "disk i/o error": "the disk of the database cannot be read or written; check it, and restore a backup if needed",
    "password authentication failed": "wrong user or password; correct FEWSHOT_DB_URL",
    "connection": "cannot connect to the database; check FEWSHOT_DB_URL and that the server is running",
}
"""What to do, by a part of the message of SQLite or PostgreSQL. The first match counts."""

ADVICE_BY_CODE = {"55P03": LOCKED, "40P01": LOCKED, "40001": LOCKED, "53100": FULL}
"""The same by PostgreSQL's error code, which does not depend on the language of the server."""


def translate_error(error: Exception, place: str) -> StoreError:
    """Return a driver's error about the database at a place as one line with advice."""
    if isinstance(error, UnicodeEncodeError):
        return StoreError(f"{place}: a text contains half a character (a lone surrogate); write the whole character")
    if isinstance(error, OverflowError):
        return StoreError(f"{place}: a number is too large for the database; choose a smaller one")
    if isinstance(error, PoolTimeout):
        return UnavailableError(f"{place}: {LOCKED}")
    message = " ".join(str(error.orig if isinstance(error, StatementError) else error).split())
    if isinstance(error, IntegrityError):
        if "items.annotator" in message or "one_item_a_person" in message:
            return StoreError("one person would get the same example twice for the same task; draw other examples")
        return StoreError(f"{place}: refused, since it contradicts the stored data ({message})")
    code = getattr(getattr(error, "orig", None), "sqlstate", None)
    advice = ADVICE_BY_CODE.get(code or "") or next(
        (advice for part, advice in ADVICE_BY_MESSAGE.items() if part in message.lower()), None
    )
    return UnavailableError(f"{place}: {advice}" if advice else f"{place}: the database reports: {message}")
