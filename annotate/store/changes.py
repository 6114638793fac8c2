"""Changes of many annotations at once: new revisions on top of those that there are, made together and undone so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update

from annotate.store.database import CHUNK, Database, chunks
from annotate.store.records import Revision, columns
from annotate.store.tables import Items, Revisions

CHANGE, UNDONE = "change ", "undone "
"""How the name of a change begins, which stands for the page of its revisions, and that of what undoes it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Another annotation of an item.

    Args:
        seen: id of the revision that it is made from, 0 where there was none.
        annotation: the whole annotation.
        done: whether it stays finished.
        suggestion_id: of the revision that it is made from.
    """

    item_id: int
    seen: int
    annotation: dict[str, Any]
    done: bool
    suggestion_id: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed at once.

    Args:
        name: begins with `CHANGE`.
        author: who did it.
        items: how many annotations.
        created: when.
        undone: whether it was taken back.
    """

    name: str
    author: str
    items: int
    created: datetime
    undone: bool


class ChangeStore(Database):
    """Changes of many annotations."""

    def change(self, name: str, author: str, edits: Iterable[Edit]) -> list[int]:
        """Add revisions to items of whomever, all or none; who has an item, and whether it is done, stays.

        Args:
            name: of the change, used once.
            author: who makes it, and stands in its revisions.

        Returns:
            The ids of the items that were changed: not those that were saved since they were seen.
        """
        changed: list[int] = []
        with self.writing() as db:
            for chunk in chunks(sorted(edits, key=lambda edit: edit.item_id), CHUNK):
                newest = _newest(db, [edit.item_id for edit in chunk])
                fresh = [edit for edit in chunk if newest.get(edit.item_id, 0) == edit.seen]
                if not fresh:
                    continue
                given = {"annotator": author, "client": name, "seq": 1, "seconds": 0.0, "edits": 0}
                rows = [
                    {"item_id": edit.item_id, "annotation": edit.annotation, "done": edit.done}
                    | {"suggestion_id": edit.suggestion_id, "created": self.now(), **given}
                    for edit in fresh
                ]
                db.execute(insert(Revisions), rows)
                ids = [edit.item_id for edit in fresh]
                db.execute(update(Items).where(Items.c.id.in_(ids)).values(taken=False))
                changed += ids
        return changed

    def changes(self, project_id: int, author: str | None = None, most: int = 10) -> list[Change]:
        """Return the changes of a project, of everybody or of one author, the newest first."""
        count, begun = func.count(), func.min(Revisions.c.created)
        query = (
            select(Revisions.c.client, Revisions.c.annotator, count, begun)
            .join(Items, Revisions.c.item_id == Items.c.id)
            .where(Items.c.project_id == project_id, Revisions.c.client.startswith(CHANGE))
            .where(*([] if author is None else [Revisions.c.annotator == author]))
            .group_by(Revisions.c.client, Revisions.c.annotator)
            .order_by(func.max(Revisions.c.id).desc())
            .limit(most)
        )
        with self.reading() as db:
            found = db.execute(query).all()
            taken_back = _of(select(Revisions.c.client).distinct(), project_id, [UNDONE + row[0] for row in found])
            undone = set(db.scalars(taken_back))
        return [Change(name, who, items, when, UNDONE + name in undone) for name, who, items, when in found]

    def changed(self, project_id: int, name: str) -> list[tuple[Revision, Revision | None]]:
        """Return the revisions of a change, each with the one before it, None where it was the first."""
        mine = _of(select(*columns(Revisions, Revision)), project_id, [name]).order_by(Revisions.c.item_id)
        made = self._fetch_all(Revision, mine)
        queries = (_before(name, [revision.item_id for revision in chunk]) for chunk in chunks(made, CHUNK))
        before = {one.item_id: one for query in queries for one in self._fetch_all(Revision, query)}
        return [(revision, before.get(revision.item_id)) for revision in made]


def _of(query: Select[Any], project_id: int, names: Sequence[str]) -> Select[Any]:
    """Return a query for the revisions of some changes of a project."""
    joined = query.join(Items, Revisions.c.item_id == Items.c.id)
    return joined.where(Items.c.project_id == project_id, Revisions.c.client.in_(names))


def _newest(db: Connection, items: Sequence[int]) -> dict[int, int]:
    """Return the id of the newest revision of each of some items, and let other writers of them wait."""
    db.execute(select(Items.c.id).where(Items.c.id.in_(items)).order_by(Items.c.id).with_for_update())
    newest = select(Revisions.c.item_id, func.max(Revisions.c.id).label("newest")).where(Revisions.c.item_id.in_(items))
    return {row.item_id: row.newest for row in db.execute(newest.group_by(Revisions.c.item_id))}


def _before(name: str, items: Sequence[int]) -> Select[Any]:
    """Return a query for the newest revision of each of some items before the revision of a change."""
    own, other = Revisions.alias(), Revisions.alias()
    newest = (
        select(func.max(other.c.id))
        .join(own, own.c.item_id == other.c.item_id)
        .where(own.c.client == name, other.c.id < own.c.id, other.c.item_id.in_(items))
        .group_by(other.c.item_id)
    )
    return select(*columns(Revisions, Revision)).where(Revisions.c.id.in_(newest))
