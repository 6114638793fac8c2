"""Sign-in with an OpenID Connect provider: each sign-in opens one session, while it is fresh.

Streamlit keeps the claims of a sign-in in a cookie for 30 days. After its first use that cookie opens nothing: a
session of the app's own, see `annotate.accounts`, says who is signed in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from annotate.language import _
from annotate.store import Store, User
from fewshot.errors import FewshotError

MAX_AGE = timedelta(minutes=10)
"""Largest difference between the provider's time of a sign-in and now."""


@dataclass(frozen=True, slots=True)
class Login:
    """A sign-in as stated in the provider's ID token (OpenID Connect Core, section 2).

    Args:
        issuer: the provider; with `subject` it identifies the person for good.
        digest: unique hash of this sign-in.
        verified: whether the e-mail address is verified; None if unknown.
    """

    issuer: str
    subject: str
    issued: datetime
    digest: str
    address: str
    verified: bool | None


def read_login(claims: Mapping[str, Any]) -> Login:
    """Return the sign-in stated by claims; FewshotError if they lack the person or the time."""
    issuer, subject, issued = (claims.get(name) for name in ("iss", "sub", "iat"))
    if not (isinstance(issuer, str) and isinstance(subject, str) and isinstance(issued, int | float)):
        raise FewshotError(_("Your organisation's answer does not identify you: `iss`, `sub` and `iat` are missing."))
    parts = json.dumps([issuer, subject, issued, claims.get("nonce"), claims.get("jti")])
    verified = claims.get("email_verified")
    return Login(
        issuer, subject, _to_datetime(issued), sha256(parts.encode()).hexdigest(), str(claims.get("email") or ""),
        None if verified is None else str(verified).lower() == "true",
    )  # fmt: skip


def is_fresh(store: Store, login: Login) -> bool:
    """Return whether a sign-in was stated within `MAX_AGE`."""
    return abs(store.now() - login.issued) <= MAX_AGE


def find_person(store: Store, login: Login, trusts_address: bool) -> User:
    """Return the user of a sign-in, by issuer and subject.

    At the first sign-in that is the user whose name is the verified e-mail address, with the same letter case, and who
    is allowed to use OpenID Connect; issuer and subject are then stored for this user. With `trusts_address`, an
    address of unknown verification counts, too.

    Raises:
        FewshotError: when no user may sign in with it.
    """
    known = store.user_of_identity(login.issuer, login.subject)
    if known is None and not login.address:
        reason = _(
            "Your organisation's answer contains no e-mail address. The person who runs this "
            "server has to request `email`."
        )
        raise FewshotError(reason)
    if known is None and login.verified is None and not trusts_address:
        raise FewshotError(_(
            "Your organisation does not confirm that {address} is verified. If nobody there can "
            "choose an address freely, the person who runs this server can write `trust_email = "
            "true` under `[auth]` in the server's secrets.",
            address=login.address,
        ))  # fmt: skip
    if known is None and login.verified is False:
        raise FewshotError(_(
            "Your organisation has not verified that {address} is yours. Ask your organisation to "
            "verify it, then sign in again.",
            address=login.address,
        ))  # fmt: skip
    person = known or store.link_identity(login.address, login.issuer, login.subject)
    if person is None or not person.active:
        raise FewshotError(_(
            "{address} may not sign in here. Ask the person who runs this server to add this address.",
            address=login.address,
        ))  # fmt: skip
    return person


def accept(store: Store, login: Login) -> bool:
    """Return whether a sign-in opens a session: at its first use, while it is fresh."""
    return is_fresh(store, login) and store.use_login(login.digest, login.issued + 2 * MAX_AGE)


def _to_datetime(seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
