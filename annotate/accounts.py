"""User accounts: password hashes, roles, and the sessions of browsers."""

from __future__ import annotations

import hmac
import secrets
from datetime import timedelta
from hashlib import scrypt, sha256

from annotate.language import gettext_noop
from annotate.store import Store, User
from fewshot.errors import FewshotError

ROLES = {
    gettext_noop("annotator"): gettext_noop("annotates the assigned examples"),
    gettext_noop("curator"): gettext_noop("also makes projects, reviews and exports"),
    gettext_noop("admin"): gettext_noop("also adds people"),
}
"""Permissions of each role."""

COST, BLOCK, PARALLEL = 2**15, 8, 1
"""Parameters n, r and p of scrypt (RFC 7914): about 0.1 s and 32 MiB per try."""

MIN_PASSWORD_CHARS = 8

SESSION_DAYS = 30
"""Lifetime of a session."""

MAX_BROWSER_CHARS = 200
"""Stored characters of a browser's user agent."""


def hash_password(password: str) -> str:
    """Return the salted hash of a password; FewshotError if the password is too short or no valid text."""
    if len(password) < MIN_PASSWORD_CHARS:
        raise FewshotError(f"the password has {len(password)} characters; use at least {MIN_PASSWORD_CHARS}")
    salt = secrets.token_bytes(16)
    try:
        key = _scrypt(password, salt, COST, BLOCK, PARALLEL)
    except UnicodeEncodeError:
        raise FewshotError("the password contains bytes that are not UTF-8; type it, or pipe it in UTF-8") from None
    return f"scrypt {COST} {BLOCK} {PARALLEL} {salt.hex()} {key.hex()}"


def random_hash() -> str:
    """Return the hash of a random password, for users who sign in with OpenID Connect."""
    return hash_password(secrets.token_urlsafe(32))


def matches(password: str, stored: str) -> bool:
    """Return whether a password has the stored hash; False if the hash is invalid."""
    try:
        _, cost, block, parallel, salt, wanted = stored.split()
        key = _scrypt(password, bytes.fromhex(salt), int(cost), int(block), int(parallel))
        return hmac.compare_digest(key, bytes.fromhex(wanted))
    except (ValueError, OverflowError, MemoryError):
        return False


def sign_in(store: Store, name: str, password: str) -> User | None:
    """Return the active user with a name and password, or None."""
    credentials = store.credentials(name)
    if credentials is None:
        _scrypt(password, b"nobody", COST, BLOCK, PARALLEL)  # takes as long as for an existing name
        return None
    user, stored = credentials
    return user if matches(password, stored) and user.active else None  # in this order: see above


def open_session(store: Store, name: str, browser: str = "") -> str:
    """Return the token of a new session, valid for `SESSION_DAYS`; StoreError for unknown users."""
    token = secrets.token_urlsafe(32)
    store.open_session(name, _digest(token), browser[:MAX_BROWSER_CHARS], timedelta(days=SESSION_DAYS))
    return token


def session_user(store: Store, token: str) -> User | None:
    """Return the user who is signed in with a token, or None."""
    return store.session_user(_digest(token)) if token else None


def close_session(store: Store, token: str) -> None:
    """End the session of a token."""
    store.end_session(_digest(token))


def _digest(token: str) -> str:
    """Return the hash under which a token is stored; one round suffices for 256 random bits."""
    return sha256(token.encode(errors="replace")).hexdigest()


def _scrypt(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    return scrypt(password.encode(), salt=salt, n=cost, r=block, p=parallel, maxmem=256 * cost * block, dklen=32)
