"""Sentences that go on in the next ones of their file: those are no examples of their own as long as that is so.

An annotation says how many sentences its own goes on in, see `annotate.editing.joining`. As long as the newest revision
of anybody says so, these examples and all their items are `JOINED`: nothing is drawn, shown, counted or learned of
them. What was saved of them stays, and is there again once nobody says so any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from annotate.store.errors import StoreError
from annotate.store.leases import holder
from annotate.store.records import Example, columns
from annotate.store.tables import Examples, Items, Projects, Revisions

JOINED = "joined"
"""The status of an item whose sentence belongs to the one before it; before its split, the split of such an example."""


def is_joined(split: str) -> bool:
    """Return whether an example of a split belongs to the one before it."""
    return split.startswith(JOINED)


def join(db: Connection, item_id: int, joined: int, annotator: str, now: datetime) -> None:
    """Take in the sentences that an item's goes on in, and let go what no annotation goes on in any more.

    Args:
        db: in which the project is locked.
        item_id: whose revision was just saved.
        joined: how many follow that are part of it.
        annotator: who has saved it.

    Raises:
        StoreError: when there are not so many, or they are part of others, or somebody else has one of them open.
    """
    example_id = db.execute(select(Items.c.example_id).where(Items.c.id == item_id)).scalar_one()
    (own,) = following(db, example_id, 0)
    wanted = max(joined, *_said(db, example_id, item_id), 0)
    had = len(own.content.get("following", ()))
    behind = following(db, example_id, max(wanted, had))[1:]
    taken, let_go = behind[had:wanted], behind[wanted:had]
    if len(behind) < wanted or any(is_joined(one.split) or "following" in one.content for one in taken):
        raise StoreError("the next sentence was joined with others meanwhile; reload the page")
    if other := holder(db, [one.id for one in taken], annotator, now):
        raise StoreError(f"{other} has the next sentence open; join them once that is closed")
    for one in taken:
        db.execute(update(Examples).where(Examples.c.id == one.id).values(split=f"{JOINED} {one.split}"))
        mine = update(Items).where(Items.c.example_id == one.id)
        db.execute(mine.values(status=JOINED, lease_holder=None, lease_until=None))
    for one in let_go:
        split = one.split.removeprefix(f"{JOINED} ")
        db.execute(update(Examples).where(Examples.c.id == one.id).values(split=split))
        _open_again(db, one.id)
    kept = {key: value for key, value in own.content.items() if key != "following"}
    if wanted:
        kept["following"] = [one.content for one in behind[:wanted]]
    length = own.length + sum(one.length for one in taken) - sum(one.length for one in let_go)
    db.execute(update(Examples).where(Examples.c.id == own.id).values(content=kept, length=length))
    _count(db, own.project_id, taken, let_go)


def following(db: Connection, example_id: int, count: int) -> list[Example]:
    """Return an example and as many as follow on it in its project, fewer at its end."""
    place = select(Examples.c.project_id, Examples.c.position).where(Examples.c.id == example_id)
    project_id, first = db.execute(place).one()
    query = select(*columns(Examples, Example)).where(
        Examples.c.project_id == project_id, Examples.c.position.between(first, first + count)
    )
    return [Example(*row) for row in db.execute(query.order_by(Examples.c.position))]


def _said(db: Connection, example_id: int, but: int) -> list[int]:
    """Return how many sentences the newest revisions of an example's other items go on in."""
    theirs = select(Items.c.id).where(Items.c.example_id == example_id, Items.c.id != but)
    newest = select(func.max(Revisions.c.id)).where(Revisions.c.item_id.in_(theirs)).group_by(Revisions.c.item_id)
    found = db.scalars(select(Revisions.c.annotation).where(Revisions.c.id.in_(newest)))
    return [annotation.get("joined", 0) for annotation in found]


def _open_again(db: Connection, example_id: int) -> None:
    """Let the items of an example be done where their newest revision is, else open."""
    mine = select(Items.c.id).where(Items.c.example_id == example_id)
    newest = select(func.max(Revisions.c.id)).where(Revisions.c.item_id.in_(mine)).group_by(Revisions.c.item_id)
    done = select(Revisions.c.item_id).where(Revisions.c.id.in_(newest), Revisions.c.done)
    for status, which in (("done", Items.c.id.in_(done)), ("open", Items.c.id.not_in(done))):
        db.execute(update(Items).where(Items.c.example_id == example_id, which).values(status=status))


def _count(db: Connection, project_id: int, taken: Sequence[Example], let_go: Sequence[Example]) -> None:
    """Let a project know how large its pool and its test set are now."""
    more = Counter(one.split.removeprefix(f"{JOINED} ") for one in let_go)
    more.subtract(one.split for one in taken)
    sizes: dict[str, Any] = {f"{split}_size": Projects.c[f"{split}_size"] + more[split] for split in ("pool", "test")}
    db.execute(update(Projects).where(Projects.c.id == project_id).values(sizes))
