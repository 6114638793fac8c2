"""Who may take an item: while somebody has it open, nobody else can."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, exists, select

from annotate.store.tables import Items

LEASE_SECONDS = 300

MAX_LEASE_SECONDS = 2 * LEASE_SECONDS
"""A lease that ends after more seconds than this is void: a clock was set back after it was written.

Twice `LEASE_SECONDS`, since the clocks of several servers may differ.
"""


def is_leased(now: datetime) -> ColumnElement[bool]:
    """Return the condition that the lease of an item has not expired."""
    return Items.c.lease_until.between(now, now + timedelta(seconds=MAX_LEASE_SECONDS))


def has_example(annotator: str) -> ColumnElement[bool]:
    """Return whether a person has another item of the same example, task and purpose."""
    same = Items.alias()
    return exists().where(
        same.c.example_id == Items.c.example_id,
        same.c.task == Items.c.task,
        same.c.annotator == annotator,
        same.c.purpose == Items.c.purpose,
    )


def other_holder(db: Connection, examples: Sequence[int], annotator: str, now: datetime) -> str | None:
    """Return a person, other than `annotator`, who has one of the examples open, or None."""
    held = (Items.c.example_id.in_(examples), Items.c.lease_holder != annotator, is_leased(now))
    return db.scalar(select(Items.c.lease_holder).where(*held).limit(1))
