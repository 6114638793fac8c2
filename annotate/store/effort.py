"""Progress and measured time of annotators.

Pages send running totals, see `Revision`: the newest revision of each page counts, summed over the pages of an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Select, bindparam, cast, distinct, func, select

from annotate.store.database import Database
from annotate.store.joins import JOINED
from annotate.store.leases import has_example
from annotate.store.records import REVIEW
from annotate.store.tables import Examples, Items, Revisions, Rounds


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """Progress of one person in one task.

    Args:
        annotator: None for items that nobody has taken.
        total: number of items, some of which are done, skipped, or flagged for a second look.
        seconds: active seconds, including sentences that were joined to others later.
        tokens: of the examples that are done.
        measured: items that are done and for which time was measured, unlike imported annotations.
        measured_tokens: of their examples.
    """

    task: str
    purpose: str
    annotator: str | None
    total: int
    done: int
    skipped: int
    flagged: int
    seconds: float
    edits: int
    tokens: int
    measured: int
    measured_tokens: int


class EffortStore(Database):
    """Progress and measured time."""

    def progress(self, project_id: int, annotator: str | None = None) -> list[TaskProgress]:
        """Return one entry for each task, purpose and person, or for those of one person."""
        who = (Items.c.task, Items.c.purpose, Items.c.annotator)
        wanted = [Items.c.project_id == project_id, *([] if annotator is None else [Items.c.annotator == annotator])]
        done, effort = Items.c.status == "done", _select_effort(*wanted).subquery()
        measured = done & (effort.c.seconds > 0)
        query = (
            select(
                *who,
                func.count().filter(Items.c.status != JOINED),
                func.count().filter(done),
                func.count().filter(Items.c.status == "skipped"),
                func.count().filter(Items.c.flagged, Items.c.status != JOINED),
                func.coalesce(func.sum(effort.c.seconds), 0.0),
                cast(func.coalesce(func.sum(effort.c.edits), 0), Integer),
                cast(func.coalesce(func.sum(Examples.c.length).filter(done), 0), Integer),
                func.count().filter(measured),
                cast(func.coalesce(func.sum(Examples.c.length).filter(measured), 0), Integer),
            )
            .join(Examples, Items.c.example_id == Examples.c.id)
            .outerjoin(effort, effort.c.item_id == Items.c.id)
            .where(*wanted)
            .group_by(*who)
            .order_by(Items.c.task, Items.c.purpose, Items.c.annotator.is_(None), Items.c.annotator)
        )
        return self._fetch_all(TaskProgress, query)

    def finished_in(self, project_id: int, tasks: Sequence[str], annotator: str | None = None) -> int:
        """Return the number of examples that one person, or a given one, has finished in all of some tasks."""
        mine = [] if annotator is None else [Items.c.annotator == annotator]
        done = (Items.c.project_id == project_id, Items.c.status == "done", Items.c.purpose != REVIEW, *mine)
        whole = (
            select(Items.c.example_id)
            .where(*done, Items.c.task.in_(tasks))
            .group_by(Items.c.example_id, Items.c.annotator)
            .having(func.count(distinct(Items.c.task)) == len(tasks))
        ).subquery()
        with self.reading() as db:
            return db.scalar(select(func.count(distinct(whole.c.example_id)))) or 0

    def unassigned(self, project_id: int, task: str, annotator: str) -> int:
        """Return the number of open items of nobody that a person may take, reviews not counted."""
        free = (Items.c.project_id == project_id, Items.c.task == task, Items.c.annotator.is_(None))
        counts = (Items.c.status == "open", Items.c.purpose != REVIEW, ~has_example(annotator))
        with self.reading() as db:
            return db.scalar(select(func.count()).where(*free, *counts)) or 0

    def tokens(self, project_id: int, task: str) -> dict[int, int]:
        """Return the length in tokens of each example that is assigned for a task, by id."""
        mine = select(Items.c.example_id).where(Items.c.project_id == project_id, Items.c.task == task)
        query = select(Examples.c.id, Examples.c.length).where(Examples.c.id.in_(mine))
        with self.reading() as db:
            return {row.id: row.length for row in db.execute(query)}

    def effort(self, project_id: int, task: str) -> dict[int, tuple[float, int]]:
        """Return (active seconds, edits) of each item with a revision, by id."""
        query = _select_effort(Items.c.project_id == project_id, Items.c.task == task)
        with self.reading() as db:
            return {item: (float(seconds), int(edits)) for item, seconds, edits in db.execute(query)}


def _select_effort(*wanted: ColumnElement[bool]) -> Select[Any]:
    newest = (
        select(func.max(Revisions.c.id))  # later revisions of a page have greater ids
        .join(Items, Revisions.c.item_id == Items.c.id)
        .where(*wanted)
        .group_by(Revisions.c.item_id, Revisions.c.client)
    )
    return (
        select(
            Revisions.c.item_id,
            func.sum(Revisions.c.seconds).label("seconds"),
            func.sum(Revisions.c.edits).label("edits"),
        )
        .where(Revisions.c.id.in_(newest))
        .group_by(Revisions.c.item_id)
    )


def possible_seconds(db: Connection, item_id: int, client: str, now: datetime) -> float:
    """Return the most seconds that a page can have been active on an item.

    That is the time stored before the item was last opened, plus the time since then that other pages did not use.
    """
    opened, drawn = db.execute(OPENED, {"item": item_id}).one()
    since = opened or drawn
    before: dict[str, float] = {}
    spent: dict[str, float] = {}
    for page, seconds, created in db.execute(SPENT, {"item": item_id}):
        spent[page] = seconds
        if created < since:
            before[page] = seconds
    own = spent.pop(client, 0.0)
    return max(own, sum(before.values()) + (now - since).total_seconds() - sum(spent.values()))


OPENED = select(Items.c.opened, Rounds.c.created).join(Rounds).where(Items.c.id == bindparam("item"))
SPENT = (
    select(Revisions.c.client, Revisions.c.seconds, Revisions.c.created)
    .where(Revisions.c.item_id == bindparam("item"))
    .order_by(Revisions.c.id)
)
