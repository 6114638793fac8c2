"""People of a lab: salted slow password hashes, roles, and the sessions by which a browser is known again."""

from __future__ import annotations

import hmac
import secrets
from datetime import timedelta
from hashlib import scrypt, sha256

from annotate.language import gettext_noop
from annotate.store import Store, User
from fewshot.errors import FewshotError

ROLES = {
    gettext_noop("annotator"): gettext_noop("annotates what is assigned to them"),
    gettext_noop("curator"): gettext_noop("also makes projects, reviews and exports"),
    gettext_noop("admin"): gettext_noop("also adds people"),
}
"""What each role may do."""

COST, BLOCK, PARALLEL = 2**15, 8, 1
"""Parameters n, r and p of scrypt (RFC 7914): about 0.1 s and 32 MiB a try."""

SHORTEST = 8
"""Least characters of a password."""

DAYS = 30
"""For how long a browser is known."""

LONGEST = 200
"""Most characters that are kept of what a browser calls itself."""


def hashed(password: str) -> str:
    """Return the hash of a password, with its own salt.

    Raises:
        FewshotError: when the password is too short.
    """
    if len(password) < SHORTEST:
        raise FewshotError(f"the password has {len(password)} characters; take at least {SHORTEST}")
    salt = secrets.token_bytes(16)
    return f"scrypt {COST} {BLOCK} {PARALLEL} {salt.hex()} {_scrypt(password, salt, COST, BLOCK, PARALLEL).hex()}"


def unknown() -> str:
    """Return the hash of a password that nobody knows, for somebody who signs in with their organisation."""
    return hashed(secrets.token_urlsafe(32))


def matches(password: str, stored: str) -> bool:
    """Return whether a password is the one of a hash; nothing is that of what is no hash, as a file may bring it."""
    try:
        _, cost, block, parallel, salt, wanted = stored.split()
        key = _scrypt(password, bytes.fromhex(salt), int(cost), int(block), int(parallel))
        return hmac.compare_digest(key, bytes.fromhex(wanted))
    except (ValueError, OverflowError, MemoryError):
        return False


def sign_in(store: Store, name: str, password: str) -> User | None:
    """Return the user whose name and password these are, None where they are nobody's."""
    credentials = store.credentials(name)
    if credentials is None:
        _scrypt(password, b"nobody", COST, BLOCK, PARALLEL)  # takes as long as for a name that exists
        return None
    user, stored = credentials
    return user if user.active and matches(password, stored) else None


def open_session(store: Store, name: str, browser: str = "") -> str:
    """Return what a browser keeps to be known as somebody, for `DAYS` days unless the session is ended before.

    Args:
        browser: what it calls itself.

    Raises:
        StoreError: when there is no such user.
    """
    kept = secrets.token_urlsafe(32)
    store.open_session(name, _digest(kept), browser[:LONGEST], timedelta(days=DAYS))
    return kept


def known(store: Store, kept: str) -> User | None:
    """Return as whom a browser is known by what it keeps, None where it is not."""
    return store.session_user(_digest(kept)) if kept else None


def close_session(store: Store, kept: str) -> None:
    """Know a browser no more."""
    store.end_session(_digest(kept))


def _digest(kept: str) -> str:
    """Return by what a session is found; one round is enough for 256 random bits, which nobody can guess."""
    return sha256(kept.encode(errors="replace")).hexdigest()


def _scrypt(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    return scrypt(password.encode(), salt=salt, n=cost, r=block, p=parallel, maxmem=256 * cost * block, dklen=32)
