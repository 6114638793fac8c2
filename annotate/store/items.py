"""Assignments, their leases, and how annotations are saved for them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    and_,
    bindparam,
    case,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from annotate.store.database import CHUNK_ROWS, Database, chunks, lock_project
from annotate.store.effort import possible_seconds
from annotate.store.errors import ConflictError, GoneError, StoreError
from annotate.store.joins import JOINED, join
from annotate.store.leases import LEASE_SECONDS, MAX_LEASE_SECONDS, has_example, is_leased, other_holder
from annotate.store.records import REVIEW, Acknowledged, Item
from annotate.store.revisions import LAST, newest_save
from annotate.store.tables import Items, Revisions, UtcDateTime, columns


class ItemStore(Database):
    """Assignments, leases and annotations."""

    def items(
        self,
        project_id: int,
        annotator: str | None = None,
        task: str | None = None,
        round_id: int | None = None,
        purpose: str | None = None,
        example_id: int | None = None,
        item_id: int | None = None,
    ) -> list[Item]:
        """Return the items that match all given values, in working order, without joined sentences."""
        wanted = {"annotator": annotator, "task": task, "round_id": round_id, "purpose": purpose}
        wanted |= {"example_id": example_id, "id": item_id}
        query = (
            select(*columns(Items, Item))
            .where(Items.c.project_id == project_id, Items.c.status != JOINED)
            .where(*(Items.c[name] == value for name, value in wanted.items() if value))
            .order_by(Items.c.round_id, Items.c.position)
        )
        return self._fetch_all(Item, query)

    def holdable_items(self, project_id: int, annotator: str, example_id: int | None = None) -> list[Item]:
        """Return a person's items and those that they could hold now, in working order, without reviews."""
        query = (
            select(*columns(Items, Item))
            .where(Items.c.project_id == project_id, Items.c.status != JOINED, Items.c.purpose != REVIEW)
            .where(self._can_hold(annotator))
            .where(*([] if example_id is None else [Items.c.example_id == example_id]))
            .order_by(Items.c.round_id, Items.c.position)
        )
        return self._fetch_all(Item, query)

    def item(self, item_id: int) -> Item:
        """Return an item; StoreError if there is none."""
        with self.reading() as db:
            return Item(*_require_item(db, item_id))

    def claim(self, item_id: int, annotator: str) -> bool:
        """Hold an item for `LEASE_SECONDS`; a new claim extends the lease once half of it is over.

        An unassigned item becomes the annotator's until the lease ends, for good if they save something before.

        Returns:
            Whether the annotator holds the item: not if another person has it, or the annotator has the same example
            for the same task already.

        Raises:
            StoreError: when there is no such item.
        """
        with self.reading() as db:
            held = _require_item(db, item_id, LEASES)
        left = (held.lease_until - self.now()).total_seconds() if held.lease_holder == annotator else 0.0
        if LEASE_SECONDS / 2 < left <= MAX_LEASE_SECONDS:
            return True
        with self.writing() as db:
            lock_project(db, held.project_id)
            return self._hold(db, item_id, annotator)

    def release(self, item_id: int, annotator: str) -> None:
        """End the annotator's lease of an item, if they hold it."""
        lease = update(Items).where(Items.c.id == item_id, Items.c.lease_holder == annotator)
        with self.writing() as db:
            db.execute(lease.values(lease_holder=None, lease_until=None))

    def other_holder(self, example_id: int, annotator: str) -> str | None:
        """Return a person, other than `annotator`, who has the example open now, or None."""
        with self.reading() as db:
            return other_holder(db, [example_id], annotator, self.now())

    def next_item(self, project_id: int, task: str, annotator: str, purpose: str | None = None) -> Item | None:
        """Hold and return the annotator's first open item, own or unassigned, or None if there is none left.

        An example that the annotator had before is left out. Without ``purpose`` all items but reviews count.
        """
        query = (
            select(Items.c.id)
            .where(
                Items.c.project_id == project_id,
                Items.c.task == task,
                Items.c.status == "open",
                Items.c.purpose != REVIEW if purpose is None else Items.c.purpose == purpose,
            )
            .where(self._can_hold(annotator))
            .order_by(Items.c.round_id, Items.c.position)
            .limit(1)
        )
        with self.writing() as db:
            lock_project(db, project_id)
            item_id = db.scalar(query)
            if item_id is None:
                return None
            self._hold(db, item_id, annotator)
            return Item(*_require_item(db, item_id))

    def save(  # noqa: PLR0913
        self,
        item_id: int,
        annotator: str,
        client: str,
        seq: int,
        annotation: dict[str, Any],
        done: bool,
        seconds: float,
        edits: int,
        suggestion_id: int | None = None,
        second_suggestion: int | None = None,
        seen: int | None = None,
        joined: int | None = None,
        bounded: bool = False,
    ) -> Acknowledged:
        """Add a revision, see `Revision`; nothing is added for a number not above the page's last one.

        Args:
            item_id: the annotated item; its status becomes done or open.
            annotator: an unassigned item becomes theirs.
            seen: id of the newest revision that the page knew, 0 for none; None: do not check for newer ones.
            joined: number of following sentences that belong to the item's sentence, if that number changed, see
                `annotate.store.joins`.
            bounded: whether to reduce seconds to the time that has passed since the item was opened.

        Returns:
            The page's newest save of the item.

        Raises:
            ConflictError: when another page has saved a revision that this page has not seen.
            StoreError: when the revision could not be stored, or the item is another person's.
        """
        with self.writing() as db:
            if joined is not None:  # projects are locked before items, everywhere
                lock_project(db, _require_item(db, item_id, LEASES).project_id)
            _lock_own(db, item_id, annotator)
            newest = newest_save(db, item_id, client)
            if newest is not None and newest.seq >= seq:
                return newest
            last = None if seen is None else db.execute(LAST, {"item": item_id}).first()
            if last is not None and last.id != seen and last.client != client:
                raise ConflictError(f"item {item_id} was saved in another window; open it again to see both versions")
            if bounded:
                seconds = min(seconds, possible_seconds(db, item_id, client, self.now()))
            values = {"item_id": item_id, "annotator": annotator, "client": client, "seq": seq, "done": done}
            values |= {"annotation": annotation, "seconds": seconds, "edits": edits}
            values |= {"suggestion_id": suggestion_id, "second_suggestion": second_suggestion}
            made = db.execute(
                insert(Revisions).returning(Revisions.c.id), values | {"created": self.now()}
            ).scalar_one()
            _set(db, item_id, annotator=annotator, taken=False, status="done" if done else "open")
            if joined is not None:
                join(db, item_id, joined, annotator, self.now())
        return Acknowledged(seq, made)

    def add_finished(self, annotator: str, client: str, annotations: Mapping[int, dict[str, Any]]) -> None:
        """Add finished first revisions of items of an annotator that nobody has saved, by item id."""
        shared = {"annotator": annotator, "client": client, "seq": 1, "done": True, "seconds": 0.0, "edits": 0}
        for chunk in chunks(annotations.items(), CHUNK_ROWS):
            rows = [
                {"item_id": item, "annotation": annotation, "created": self.now()} | shared
                for item, annotation in chunk
            ]
            done = update(Items).where(Items.c.id.in_([item for item, _ in chunk])).values(status="done")
            with self.writing() as db:
                db.execute(insert(Revisions), rows)
                db.execute(done)

    def skip(self, item_id: int, annotator: str) -> None:
        """Set an item's status to skipped; StoreError if it is another person's."""
        with self.writing() as db:
            _lock_own(db, item_id, annotator)
            _set(db, item_id, annotator=annotator, taken=False, status="skipped")

    def reopen(self, item_id: int) -> None:
        """Set an item's status to open; its revisions stay."""
        with self.writing() as db:
            _set(db, item_id, status="open")

    def flag(self, item_id: int, flagged: bool) -> None:
        """Mark an item for a second look, or remove the mark."""
        with self.writing() as db:
            _set(db, item_id, flagged=flagged)

    def _can_hold(self, annotator: str) -> ColumnElement[bool]:
        is_unassigned = or_(Items.c.annotator.is_(None), Items.c.taken)
        is_own = or_(Items.c.annotator == annotator, and_(is_unassigned, ~has_example(annotator)))
        has_lease = or_(Items.c.lease_holder.is_(None), Items.c.lease_holder == annotator)
        return and_(or_(has_lease, ~is_leased(self.now())), is_own)

    def _hold(self, db: Connection, item_id: int, annotator: str) -> bool:
        held = update(Items).where(Items.c.id == item_id, self._can_hold(annotator))
        taken = case((Items.c.annotator == annotator, Items.c.taken), else_=True)
        now = literal(self.now(), UtcDateTime)
        until = self.now() + timedelta(seconds=LEASE_SECONDS)
        opened = case((Items.c.lease_holder == annotator, func.coalesce(Items.c.opened, now)), else_=now)
        lease = {"lease_holder": annotator, "lease_until": until, "opened": opened}
        result = db.execute(held.values(annotator=annotator, taken=taken, **lease))
        return result.rowcount == 1


ITEM = select(*columns(Items, Item)).where(Items.c.id == bindparam("item"))
LEASES = select(Items.c.project_id, Items.c.lease_holder, Items.c.lease_until).where(Items.c.id == bindparam("item"))
OWNER = select(Items.c.annotator, Items.c.status).where(Items.c.id == bindparam("item")).with_for_update(key_share=True)


def _require_item(db: Connection, item_id: int, query: Executable = ITEM) -> Any:
    row = db.execute(query, {"item": item_id}).first()
    if row is None:
        raise GoneError(f"no item {item_id}; reload the page")
    return row


def _lock_own(db: Connection, item_id: int, annotator: str) -> None:
    row = _require_item(db, item_id, OWNER)
    if row.annotator not in (None, annotator):
        raise StoreError(f"item {item_id} belongs to {row.annotator}, not to {annotator}; go on with the next item")
    if row.status == JOINED:
        raise GoneError("this sentence was joined with the sentence before it; go on with the next item")


def _set(db: Connection, item_id: int, **values: Any) -> None:
    if not db.execute(update(Items).where(Items.c.id == item_id).values(values)).rowcount:
        raise StoreError(f"no item {item_id}; reload the page")
