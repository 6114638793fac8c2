"""Joined sentences: a sentence that continues in the next ones of its file is one example with them.

An annotation has the number of following sentences that belong to its own, see `annotate.editing.joining`. As long as
the newest revision of anybody joins them, these examples and all their items are `JOINED`: they are not drawn, shown,
counted or learned from. Their revisions stay and count again once nobody joins the sentences any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from annotate.store.errors import StoreError
from annotate.store.leases import other_holder
from annotate.store.records import StoredExample
from annotate.store.tables import Examples, Items, Projects, Revisions, columns

JOINED = "joined"
"""Status of an item whose sentence is joined to the one before it; prefix of its example's split."""


def is_joined(split: str) -> bool:
    """Return whether an example of a split is joined to the one before it."""
    return split.startswith(JOINED)


def join(db: Connection, item_id: int, joined: int, annotator: str, now: datetime) -> None:
    """Join the sentences that follow an item's own, and release those that no annotation joins any more.

    Args:
        db: a transaction in which the project is locked.
        item_id: whose revision was just saved.
        joined: number of following sentences that the revision joins.

    Raises:
        StoreError: when there are fewer sentences, they are joined to others, or somebody else has one of them open.
    """
    example_id = db.execute(select(Items.c.example_id).where(Items.c.id == item_id)).scalar_one()
    (own,) = following(db, example_id, 0)
    wanted = max(joined, *_joined_by_others(db, example_id, item_id), 0)
    before = len(own.content.get("following", ()))
    after = following(db, example_id, max(wanted, before))[1:]
    taken, released = after[before:wanted], after[wanted:before]
    if len(after) < wanted or any(is_joined(example.split) or "following" in example.content for example in taken):
        raise StoreError("the next sentence was joined with others in the meantime; reload the page")
    if other := other_holder(db, [example.id for example in taken], annotator, now):
        raise StoreError(f"{other} has opened the next sentence; join the two when it is closed")
    for example in taken:
        db.execute(update(Examples).where(Examples.c.id == example.id).values(split=f"{JOINED} {example.split}"))
        mine = update(Items).where(Items.c.example_id == example.id)
        db.execute(mine.values(status=JOINED, lease_holder=None, lease_until=None))
    for example in released:
        split = example.split.removeprefix(f"{JOINED} ")
        db.execute(update(Examples).where(Examples.c.id == example.id).values(split=split))
        _restore_status(db, example.id)
    content = {key: value for key, value in own.content.items() if key != "following"}
    if wanted:
        content["following"] = [example.content for example in after[:wanted]]
    length = own.length + sum(example.length for example in taken) - sum(example.length for example in released)
    db.execute(update(Examples).where(Examples.c.id == own.id).values(content=content, length=length))
    _update_sizes(db, own.project_id, taken, released)


def following(db: Connection, example_id: int, count: int, before: int = 0) -> list[StoredExample]:
    """Return an example, the next `count` and the `before` last ones of its project, by position."""
    place = select(Examples.c.project_id, Examples.c.position).where(Examples.c.id == example_id)
    project_id, first = db.execute(place).one()
    query = select(*columns(Examples, StoredExample)).where(
        Examples.c.project_id == project_id, Examples.c.position.between(first - before, first + count)
    )
    return [StoredExample(*row) for row in db.execute(query.order_by(Examples.c.position))]


def _joined_by_others(db: Connection, example_id: int, item_id: int) -> list[int]:
    """Return how many following sentences the newest revisions of an example's other items join."""
    theirs = select(Items.c.id).where(Items.c.example_id == example_id, Items.c.id != item_id)
    newest = select(func.max(Revisions.c.id)).where(Revisions.c.item_id.in_(theirs)).group_by(Revisions.c.item_id)
    annotations = db.scalars(select(Revisions.c.annotation).where(Revisions.c.id.in_(newest)))
    return [annotation.get("joined", 0) for annotation in annotations]


def _restore_status(db: Connection, example_id: int) -> None:
    """Set the items of an example to done if their newest revision is, else to open."""
    mine = select(Items.c.id).where(Items.c.example_id == example_id)
    newest = select(func.max(Revisions.c.id)).where(Revisions.c.item_id.in_(mine)).group_by(Revisions.c.item_id)
    done = select(Revisions.c.item_id).where(Revisions.c.id.in_(newest), Revisions.c.done)
    for status, which in (("done", Items.c.id.in_(done)), ("open", Items.c.id.not_in(done))):
        db.execute(update(Items).where(Items.c.example_id == example_id, which).values(status=status))


def _update_sizes(
    db: Connection, project_id: int, taken: Sequence[StoredExample], released: Sequence[StoredExample]
) -> None:
    more = Counter(example.split.removeprefix(f"{JOINED} ") for example in released)
    more.subtract(example.split for example in taken)
    sizes: dict[str, Any] = {f"{split}_size": Projects.c[f"{split}_size"] + more[split] for split in ("pool", "test")}
    db.execute(update(Projects).where(Projects.c.id == project_id).values(sizes))
