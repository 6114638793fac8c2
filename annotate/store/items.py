"""Who annotates what, and what they have saved."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Executable,
    and_,
    bindparam,
    case,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from annotate.store.database import Database, lock_project
from annotate.store.errors import OvertakenError, StoreError
from annotate.store.joins import JOINED, join
from annotate.store.leases import HELD_AT_MOST, LEASE, holder, is_leased
from annotate.store.records import Item, Revision, columns, pairs
from annotate.store.tables import Items, Moment, Revisions, Rounds

SHOTS, TEST, REVIEW = "shots", "test", "review"
"""Purposes of rounds: what is learned from, what is scored on, and where a curator decides between versions."""


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
        """Return the assignments that have all of what is given, in the order in which they are worked on.

        Those of sentences that belong to the one before them are not among them, see `annotate.store.joins`.
        """
        wanted = {"annotator": annotator, "task": task, "round_id": round_id, "purpose": purpose}
        wanted |= {"example_id": example_id, "id": item_id}
        query = (
            select(*columns(Items, Item))
            .where(Items.c.project_id == project_id, Items.c.status != JOINED)
            .where(*(Items.c[name] == value for name, value in wanted.items() if value))
            .order_by(Items.c.round_id, Items.c.position)
        )
        return self._fetch_all(Item, query)

    def item(self, item_id: int) -> Item:
        """Return an assignment.

        Raises:
            StoreError: when there is none of this id.
        """
        with self.reading() as db:
            return Item(*_found(db, item_id))

    def claim(self, item_id: int, annotator: str) -> bool:
        """Hold an item for `LEASE` seconds; claiming it again holds it for longer, once half of that time is over.

        An item that is nobody's becomes the annotator's. Where they save nothing before the lease is over, somebody
        else may take it.

        Returns:
            Whether it is held now: not where another person has it, or the annotator has the same example for the same
            task already.

        Raises:
            StoreError: when there is no such item.
        """
        with self.reading() as db:
            held = _found(db, item_id, LEASES)
        left = (held.lease_until - self.now()).total_seconds() if held.lease_holder == annotator else 0.0
        if LEASE / 2 < left <= HELD_AT_MOST:
            return True
        with self.writing() as db:
            lock_project(db, held.project_id)
            return self._hold(db, item_id, annotator)

    def release(self, item_id: int, annotator: str) -> None:
        """End a lease; nothing happens where somebody else holds the item."""
        lease = update(Items).where(Items.c.id == item_id, Items.c.lease_holder == annotator)
        with self.writing() as db:
            db.execute(lease.values(lease_holder=None, lease_until=None))

    def holder(self, example_id: int, but: str) -> str | None:
        """Return somebody else than one person who has an example open at this moment, None where nobody has."""
        with self.reading() as db:
            return holder(db, [example_id], but, self.now())

    def next_item(self, project_id: int, task: str, annotator: str, purpose: str | None = None) -> Item | None:
        """Return the first open item that is the annotator's or nobody's, and hold it; None where there is none left.

        Reviews are not among them, nor is an example that the annotator had before.

        Args:
            purpose: of the round that it is in; None: any.
        """
        query = (
            select(Items.c.id)
            .where(
                Items.c.project_id == project_id,
                Items.c.task == task,
                Items.c.status == "open",
                Items.c.purpose != REVIEW if purpose is None else Items.c.purpose == purpose,
            )
            .where(self._free(annotator))
            .order_by(Items.c.round_id, Items.c.position)
            .limit(1)
        )
        with self.writing() as db:
            lock_project(db, project_id)
            item_id = db.scalar(query)
            if item_id is None:
                return None
            self._hold(db, item_id, annotator)
            return Item(*_found(db, item_id))

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
    ) -> int:
        """Add a revision; sent twice, or after a later one of the same page, it adds nothing.

        Args:
            item_id: what was annotated; done or open from now on.
            annotator: by whom. An item that is nobody's becomes theirs.
            client: which open page sent it.
            seq: number that the page gave it, rising.
            annotation: the whole annotation.
            done: whether the person calls it finished.
            seconds: active ones of this page on the item so far.
            edits: changes made by this page to the item so far.
            suggestion_id: what was proposed.
            second_suggestion: id of what another model proposed beside it.
            seen: id of the newest revision that the page knew, 0 for none; not given, any may have come since.
            joined: how many sentences its own goes on in, where that was another number before, see
                `annotate.store.joins`.
            bounded: whether of more seconds than have passed since the item was opened no more than these are kept.

        Returns:
            The newest number stored of this page and item, once it is on disk.

        Raises:
            OvertakenError: when another page has saved a revision that this one has not seen.
            StoreError: when it could not be stored, or the item is another person's.
        """
        with self.writing() as db:
            if joined is not None:  # before an item, as all who lock both
                lock_project(db, _found(db, item_id, LEASES).project_id)
            _own(db, item_id, annotator)
            newest = db.scalar(NEWEST_SEQ, {"item": item_id, "client": client})
            if newest is not None and newest >= seq:
                return int(newest)
            last = None if seen is None else db.execute(LAST, {"item": item_id}).first()
            if last is not None and last.id != seen and last.client != client:
                raise OvertakenError(
                    f"item {item_id} was saved in another window since; open it again to see both versions"
                )
            if bounded:
                seconds = min(seconds, self._possible_seconds(db, item_id, client))
            values = {"item_id": item_id, "annotator": annotator, "client": client, "seq": seq, "done": done}
            values |= {"annotation": annotation, "seconds": seconds, "edits": edits}
            values |= {"suggestion_id": suggestion_id, "second_suggestion": second_suggestion}
            db.execute(insert(Revisions), values | {"created": self.now()})
            _set(db, item_id, annotator=annotator, taken=False, status="done" if done else "open")
            if joined is not None:
                join(db, item_id, joined, annotator, self.now())
        return seq

    def skip(self, item_id: int, annotator: str) -> None:
        """Put an item aside.

        Raises:
            StoreError: when it is another person's.
        """
        with self.writing() as db:
            _own(db, item_id, annotator)
            _set(db, item_id, annotator=annotator, taken=False, status="skipped")

    def reopen(self, item_id: int) -> None:
        """Say of an item that was done that it is not; its revisions stay."""
        with self.writing() as db:
            _set(db, item_id, status="open")

    def flag(self, item_id: int, flagged: bool) -> None:
        """Mark an item for a second look, or take the mark away."""
        with self.writing() as db:
            _set(db, item_id, flagged=flagged)

    def latest(self, item_id: int) -> Revision | None:
        """Return the newest revision of an item."""
        return self._fetch_first(Revision, LATEST, {"item": item_id})

    def history(self, item_id: int) -> list[Revision]:
        """Return every revision of an item, oldest first."""
        query = REVISIONS.where(Revisions.c.item_id == item_id).order_by(Revisions.c.id)
        return self._fetch_all(Revision, query)

    def log(self, project_id: int) -> list[tuple[Item, Revision]]:
        """Return every revision of a project with its item, item by item, also of sentences that are joined by now."""
        query = (
            select(*columns(Items, Item), *columns(Revisions, Revision))
            .join(Revisions, Revisions.c.item_id == Items.c.id)
            .where(Items.c.project_id == project_id)
            .order_by(Items.c.round_id, Items.c.position, Revisions.c.id)
        )
        with self.reading() as db:
            return [(item, revision) for item, revision in pairs(db.execute(query), Item, Revision) if revision]

    def acks(self, item_id: int) -> dict[str, int]:
        """Return the newest sequence number that is stored of each open page of an item."""
        with self.reading() as db:
            return {row.client: row.seq for row in db.execute(ACKS, {"item": item_id})}

    def latest_of(self, project_id: int, task: str | None = None, own: bool = False) -> dict[int, Revision]:
        """Return the newest revision of each item that has one, by the item's id.

        Args:
            own: whether only revisions by the item's annotator count, and no curator's change of many places.
        """
        mine = (Items.c.project_id == project_id, *([] if task is None else [Items.c.task == task]))
        return self._one_each(func.max(Revisions.c.id), *mine, *([OWN] if own else []))

    def last_revision(self, author: str) -> int:
        """Return the id of the newest revision that somebody has saved anywhere, 0 where there is none."""
        newest = select(func.max(Revisions.c.id + 0)).where(Revisions.c.annotator == author)
        with self.reading() as db:
            return db.scalar(newest) or 0

    def first_of(
        self, project_id: int, task: str, done: bool = False, items: Collection[int] | None = None
    ) -> dict[int, Revision]:
        """Return the first revision of each item of a task by its annotator, or the first that they called finished.

        Args:
            items: ids of those that are asked for; None: all.
        """
        mine = [Items.c.project_id == project_id, Items.c.task == task, OWN]
        mine += [] if items is None else [Items.c.id.in_(items)]
        return self._one_each(func.min(Revisions.c.id), *mine, *([Revisions.c.done.is_(True)] if done else []))

    def decided(self, project_id: int, task: str, annotator: str, most: int) -> list[int]:
        """Return the ids of the newest revisions of a person's finished shots, the newest at most, in order."""
        newest = func.max(Revisions.c.id)
        query = (
            select(newest)
            .join(Items, Revisions.c.item_id == Items.c.id)
            .where(Items.c.project_id == project_id, Items.c.task == task, Items.c.annotator == annotator)
            .where(Items.c.purpose == SHOTS, Items.c.status == "done")
            .group_by(Revisions.c.item_id)
            .order_by(newest.desc())
            .limit(most)
        )
        with self.reading() as db:
            return sorted(db.scalars(query))

    def revisions(self, ids: Sequence[int]) -> list[Revision]:
        """Return revisions by their ids, oldest first."""
        query = REVISIONS.where(Revisions.c.id.in_(ids)).order_by(Revisions.c.id)
        return self._fetch_all(Revision, query)

    def _one_each(self, chosen: ColumnElement[int], *wanted: ColumnElement[bool]) -> dict[int, Revision]:
        ids = select(chosen).join(Items, Revisions.c.item_id == Items.c.id).where(*wanted).group_by(Revisions.c.item_id)
        found = self._fetch_all(Revision, REVISIONS.where(Revisions.c.id.in_(ids)))
        return {revision.item_id: revision for revision in found}

    def _free(self, annotator: str) -> ColumnElement[bool]:
        """Return the condition under which an item may be held."""
        other = Items.alias()
        has_example = exists().where(
            other.c.example_id == Items.c.example_id,
            other.c.task == Items.c.task,
            other.c.annotator == annotator,
            other.c.purpose == Items.c.purpose,
        )
        nobodys = or_(Items.c.annotator.is_(None), Items.c.taken)
        mine = or_(Items.c.lease_holder.is_(None), Items.c.lease_holder == annotator)
        return and_(or_(mine, ~is_leased(self.now())), or_(Items.c.annotator == annotator, and_(nobodys, ~has_example)))

    def _possible_seconds(self, db: Connection, item_id: int, client: str) -> float:
        """Return how long a page can have been active: until the item was opened what was said then, since then all."""
        opened, drawn = db.execute(OPENED, {"item": item_id}).one()
        since, now = opened or drawn, self.now()
        before: dict[str, float] = {}
        spent: dict[str, float] = {}
        for page, seconds, created in db.execute(SPENT, {"item": item_id}):
            spent[page] = seconds
            if created < since:
                before[page] = seconds
        own = spent.pop(client, 0.0)
        return max(own, sum(before.values()) + (now - since).total_seconds() - sum(spent.values()))

    def _hold(self, db: Connection, item_id: int, annotator: str) -> bool:
        held = update(Items).where(Items.c.id == item_id, self._free(annotator))
        taken = case((Items.c.annotator == annotator, Items.c.taken), else_=True)
        now = literal(self.now(), Moment)
        until = self.now() + timedelta(seconds=LEASE)
        opened = case((Items.c.lease_holder == annotator, func.coalesce(Items.c.opened, now)), else_=now)
        lease = {"lease_holder": annotator, "lease_until": until, "opened": opened}
        result = db.execute(held.values(annotator=annotator, taken=taken, **lease))
        return result.rowcount == 1


REVISIONS = select(*columns(Revisions, Revision))
OWN = Revisions.c.annotator == Items.c.annotator
OF_ITEM = Revisions.c.item_id == bindparam("item")
ITEM = select(*columns(Items, Item)).where(Items.c.id == bindparam("item"))
LEASES = select(Items.c.project_id, Items.c.lease_holder, Items.c.lease_until).where(Items.c.id == bindparam("item"))
OWNER = select(Items.c.annotator, Items.c.status).where(Items.c.id == bindparam("item")).with_for_update(key_share=True)
NEWEST_FIRST = (Revisions.c.id + 0).desc()
"""By the plain id PostgreSQL would read revisions backwards until it meets one of the item, as long as it has no
statistics of the table: after an import of 100,000 annotations 26 ms in place of 0.04."""
LATEST = REVISIONS.where(OF_ITEM).order_by(NEWEST_FIRST).limit(1)
LAST = select(Revisions.c.id, Revisions.c.client).where(OF_ITEM).order_by(NEWEST_FIRST).limit(1)
NEWEST_SEQ = select(func.max(Revisions.c.seq)).where(OF_ITEM, Revisions.c.client == bindparam("client"))
ACKS = select(Revisions.c.client, func.max(Revisions.c.seq).label("seq")).where(OF_ITEM).group_by(Revisions.c.client)
OPENED = select(Items.c.opened, Rounds.c.created).join(Rounds).where(Items.c.id == bindparam("item"))
SPENT = select(Revisions.c.client, Revisions.c.seconds, Revisions.c.created).where(OF_ITEM).order_by(Revisions.c.id)
"""What each save asks, built once: building a statement takes longer than SQLite takes for its answer."""


def _found(db: Connection, item_id: int, query: Executable = ITEM) -> Any:
    row = db.execute(query, {"item": item_id}).first()
    if row is None:
        raise StoreError(f"no item {item_id}; reload the page")
    return row


def _own(db: Connection, item_id: int, annotator: str) -> None:
    """Let other writers of the item wait, and make sure that it is nobody else's."""
    row = _found(db, item_id, OWNER)
    if row.annotator not in (None, annotator):
        raise StoreError(f"item {item_id} is {row.annotator}'s, not {annotator}'s; go on with the next one")
    if row.status == JOINED:
        raise StoreError("this sentence was joined with the one before it; go on with the next one")


def _set(db: Connection, item_id: int, **values: Any) -> None:
    if not db.execute(update(Items).where(Items.c.id == item_id).values(values)).rowcount:
        raise StoreError(f"no item {item_id}; reload the page")
