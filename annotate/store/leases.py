"""For how long an item is held by whoever has it open, so that no two people take the same."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, select

from annotate.store.tables import Items

LEASE = 300
"""Seconds for which an item is held."""

HELD_AT_MOST = 2 * LEASE
"""Seconds from now after which no lease can end but by a clock that was set back since: such a lease is over.

Twice `LEASE`, so that several servers may have clocks that differ.
"""


def is_leased(now: datetime) -> ColumnElement[bool]:
    """Return the condition under which the lease of an item is not over."""
    return Items.c.lease_until.between(now, now + timedelta(seconds=HELD_AT_MOST))


def holder(db: Connection, examples: Sequence[int], but: str, now: datetime) -> str | None:
    """Return somebody else than one person who has one of some examples open, None where nobody has."""
    held = (Items.c.example_id.in_(examples), Items.c.lease_holder != but, is_leased(now))
    return db.scalar(select(Items.c.lease_holder).where(*held).limit(1))
