"""People of a lab: salted slow password hashes, roles, and the token by which a browser is known again."""

from __future__ import annotations

import hmac
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
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
    """Return whether a password is the one of a hash."""
    _, cost, block, parallel, salt, wanted = stored.split()
    key = _scrypt(password, bytes.fromhex(salt), int(cost), int(block), int(parallel))
    return hmac.compare_digest(key, bytes.fromhex(wanted))


def sign_in(store: Store, name: str, password: str) -> User | None:
    """Return the user whose name and password these are, None where they are nobody's."""
    credentials = store.credentials(name)
    if credentials is None:
        _scrypt(password, b"nobody", COST, BLOCK, PARALLEL)  # takes as long as for a name that exists
        return None
    user, stored = credentials
    return user if user.active and matches(password, stored) else None


def token(store: Store, name: str, now: Callable[[], float] = time.time) -> str:
    """Return what a browser keeps; worthless once the password is another one, or after `DAYS` days."""
    claim = f"{int(now()) + DAYS * 86400} {name}"
    _, stored = store.credentials(name) or (None, "")
    return urlsafe_b64encode(f"{_signature(stored, claim)} {claim}".encode()).decode()


def known(store: Store, kept: str, now: Callable[[], float] = time.time) -> User | None:
    """Return the user of a token, None where it is forged, too old, or its user may not sign in."""
    try:
        signature, expires, name = urlsafe_b64decode(kept.encode()).decode().split(" ", 2)
    except ValueError:
        return None
    credentials = store.credentials(name)
    if credentials is None:
        return None
    user, stored = credentials
    wanted = _signature(stored, f"{expires} {name}")
    if not user.active or not hmac.compare_digest(signature.encode(), wanted.encode()):
        return None
    return user if int(expires) >= now() else None


def _signature(key: str, claim: str) -> str:
    return hmac.new(key.encode(), claim.encode(), sha256).hexdigest()


def _scrypt(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    return scrypt(password.encode(), salt=salt, n=cost, r=block, p=parallel, maxmem=256 * cost * block, dklen=32)
