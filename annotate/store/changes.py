"""Bulk changes: new revisions of many items, made and undone together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, Text, cast, func, insert, select, update

from annotate.store.database import CHUNK_ROWS, Database, chunks
from annotate.store.records import Revision
from annotate.store.tables import Items, Revisions, columns

CHANGE, UNDONE = "change ", "undone "
"""Prefixes of the ``client`` of the revisions of a bulk change, and of the change that undoes it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A new annotation of an item, based on the revision with id ``seen``, or 0 for none."""

    item_id: int
    seen: int
    annotation: dict[str, Any]
    done: bool
    suggestion_id: int | None = None


@dataclass(frozen=True, slots=True)
class BulkChange:
    """A bulk change of ``items`` annotated examples; ``name`` begins with `CHANGE`."""

    name: str
    author: str
    items: int
    created: datetime
    undone: bool


class ChangeStore(Database):
    """Bulk changes of annotations."""

    def change(self, name: str, author: str, edits: Iterable[Edit]) -> list[int]:
        """Add revisions to items of any annotators, all or none; assignment and status of the items stay.

        Args:
            name: of the change, unique.
            author: stored as the annotator of the revisions.

        Returns:
            The ids of the changed items, without those that were saved after they were seen.
        """
        changed: list[int] = []
        with self.writing() as db:
            for chunk in chunks(sorted(edits, key=lambda edit: edit.item_id), CHUNK_ROWS):
                newest = _lock_newest(db, [edit.item_id for edit in chunk])
                fresh = [edit for edit in chunk if newest.get(edit.item_id, 0) == edit.seen]
                if not fresh:
                    continue
                shared = {"annotator": author, "client": name, "seq": 1, "seconds": 0.0, "edits": 0}
                rows = [
                    {"item_id": edit.item_id, "annotation": edit.annotation, "done": edit.done}
                    | {"suggestion_id": edit.suggestion_id, "created": self.now(), **shared}
                    for edit in fresh
                ]
                db.execute(insert(Revisions), rows)
                ids = [edit.item_id for edit in fresh]
                db.execute(update(Items).where(Items.c.id.in_(ids)).values(taken=False))
                changed += ids
        return changed

    def changes(self, project_id: int, author: str | None = None, limit: int = 10) -> list[BulkChange]:
        """Return the newest bulk changes of a project, by everybody or one author, newest first."""
        annotated = cast(Items.c.example_id, Text) + " " + func.coalesce(Items.c.annotator, "")
        count, created = func.count(annotated.distinct()), func.min(Revisions.c.created)
        query = (
            select(Revisions.c.client, Revisions.c.annotator, count, created)
            .join(Items, Revisions.c.item_id == Items.c.id)
            .where(Items.c.project_id == project_id, Revisions.c.client.startswith(CHANGE))
            .where(*([] if author is None else [Revisions.c.annotator == author]))
            .group_by(Revisions.c.client, Revisions.c.annotator)
            .order_by(func.max(Revisions.c.id).desc())
            .limit(limit)
        )
        with self.reading() as db:
            rows = db.execute(query).all()
            undoing = _of_changes(select(Revisions.c.client).distinct(), project_id, [UNDONE + row[0] for row in rows])
            undone = set(db.scalars(undoing))
        return [BulkChange(name, who, items, when, UNDONE + name in undone) for name, who, items, when in rows]

    def changed_revisions(self, project_id: int, name: str) -> list[tuple[Revision, Revision | None]]:
        """Return the revisions of a change, each with the revision before it, or None."""
        mine = _of_changes(select(*columns(Revisions, Revision)), project_id, [name]).order_by(Revisions.c.item_id)
        made = self._fetch_all(Revision, mine)
        queries = (
            _select_revisions_before(name, [revision.item_id for revision in chunk])
            for chunk in chunks(made, CHUNK_ROWS)
        )
        before = {revision.item_id: revision for query in queries for revision in self._fetch_all(Revision, query)}
        return [(revision, before.get(revision.item_id)) for revision in made]


def _of_changes(query: Select[Any], project_id: int, names: Sequence[str]) -> Select[Any]:
    """Restrict a query to the revisions of some changes of a project."""
    joined = query.join(Items, Revisions.c.item_id == Items.c.id)
    return joined.where(Items.c.project_id == project_id, Revisions.c.client.in_(names))


def _lock_newest(db: Connection, items: Sequence[int]) -> dict[int, int]:
    """Lock items and return the id of the newest revision of each."""
    db.execute(select(Items.c.id).where(Items.c.id.in_(items)).order_by(Items.c.id).with_for_update())
    newest = select(Revisions.c.item_id, func.max(Revisions.c.id).label("newest")).where(Revisions.c.item_id.in_(items))
    return {row.item_id: row.newest for row in db.execute(newest.group_by(Revisions.c.item_id))}


def _select_revisions_before(name: str, items: Sequence[int]) -> Select[Any]:
    own, earlier = Revisions.alias(), Revisions.alias()
    newest = (
        select(func.max(earlier.c.id))
        .join(own, own.c.item_id == earlier.c.item_id)
        .where(own.c.client == name, earlier.c.id < own.c.id, earlier.c.item_id.in_(items))
        .group_by(earlier.c.item_id)
    )
    return select(*columns(Revisions, Revision)).where(Revisions.c.id.in_(newest))
