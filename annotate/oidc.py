"""Signing in with an OpenID Connect provider: a sign-in opens one session, soon after the provider has stated it.

Streamlit keeps the claims of a sign-in in a cookie of 30 days. That cookie opens nothing after the sign-in was used: a
session of the app's own, see `annotate.accounts`, says who is signed in, and ends when it is ended.
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

FRESH = timedelta(minutes=10)
"""How far the time of a sign-in, by the provider's clock, may be from now."""


@dataclass(frozen=True, slots=True)
class Login:
    """A sign-in at a provider, as its ID token states it (OpenID Connect Core, section 2).

    Args:
        issuer: the provider; with `subject`, which the provider never gives to anybody else, it says who this is.
        issued: when the provider has stated it.
        digest: of what tells this sign-in from all others.
        address: e-mail address, empty where the provider names none.
        verified: whether the address is verified; None where the provider does not say.
    """

    issuer: str
    subject: str
    issued: datetime
    digest: str
    address: str
    verified: bool | None


def read_login(claims: Mapping[str, Any]) -> Login:
    """Return the sign-in of some claims.

    Raises:
        FewshotError: when the claims do not say who has signed in, or when.
    """
    issuer, subject, issued = (claims.get(name) for name in ("iss", "sub", "iat"))
    if not (isinstance(issuer, str) and isinstance(subject, str) and isinstance(issued, int | float)):
        raise FewshotError(_("Your organisation does not say who you are: `iss`, `sub` and `iat` are missing."))
    parts = json.dumps([issuer, subject, issued, claims.get("nonce"), claims.get("jti")])
    verified = claims.get("email_verified")
    return Login(
        issuer, subject, _moment(issued), sha256(parts.encode()).hexdigest(), str(claims.get("email") or ""),
        None if verified is None else str(verified).lower() == "true",
    )  # fmt: skip


def is_fresh(store: Store, login: Login) -> bool:
    """Return whether a sign-in was stated just now."""
    return abs(store.now() - login.issued) <= FRESH


def find_person(store: Store, login: Login, trusts_address: bool) -> User:
    """Return who has signed in: whom the issuer and the subject name.

    At their first sign-in that is the person whose name is the verified e-mail address, letter by letter, and who was
    added to sign in so; from then on the issuer and the subject are theirs.

    Args:
        trusts_address: whether an address counts of which the provider does not say whether it is verified.

    Raises:
        FewshotError: when nobody may sign in so.
    """
    known = store.user_of_identity(login.issuer, login.subject)
    if known is None and not login.address:
        why = _("Your organisation does not say your e-mail address; whoever runs this server asks it for `email`.")
        raise FewshotError(why)
    if known is None and login.verified is None and not trusts_address:
        raise FewshotError(_(
            "Your organisation does not say whether {address} is verified; where it lets nobody choose an address, "
            "whoever runs this server writes `trust_email = true` under `[auth]` in its secrets.",
            address=login.address,
        ))  # fmt: skip
    if known is None and login.verified is False:
        raise FewshotError(_(
            "Your organisation has not verified that {address} is yours; ask it to, then sign in again.",
            address=login.address,
        ))  # fmt: skip
    person = known or store.link_identity(login.address, login.issuer, login.subject)
    if person is None or not person.active:
        raise FewshotError(_(
            "{address} may not sign in here; ask whoever runs this server to add this address.", address=login.address
        ))  # fmt: skip
    return person


def use(store: Store, login: Login) -> bool:
    """Return whether a sign-in opens a session: the first time that it is used, and while it is fresh."""
    return is_fresh(store, login) and store.use_login(login.digest, login.issued + 2 * FRESH)


def _moment(seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)
