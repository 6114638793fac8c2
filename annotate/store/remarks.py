"""What stands beside annotations: comments, suggestions of models; and how far everybody is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import and_, bindparam, func, insert, or_, select

from annotate.store.database import CHUNK, Database, chunks, columns
from annotate.store.records import Comment, Item, Progress, Suggestion
from annotate.store.schema import Comments, Examples, Items, Revisions, Suggestions
from annotate.store.work import REVIEW

SUGGESTION = (
    select(*columns(Suggestion, Suggestions))
    .where(Suggestions.example_id == bindparam("example"), Suggestions.task == bindparam("task"))
    .order_by(Suggestions.id.desc())
    .limit(1)
)


class Remarks(Database):
    """Comments, suggestions and progress."""

    def add_comment(self, example_id: int, task: str, author: str, text: str) -> Comment:
        """Add a remark on an example."""
        values = {"example_id": example_id, "task": task, "author": author, "text": text, "created": self.now()}
        with self.writing() as db:
            row = db.execute(insert(Comments).values(values).returning(*columns(Comment, Comments))).one()
        return Comment(**row._mapping)

    def comments(self, example_id: int) -> list[Comment]:
        """Return the remarks on an example, oldest first."""
        query = select(*columns(Comment, Comments)).where(Comments.example_id == example_id).order_by(Comments.id)
        with self.reading() as db:
            return [Comment(**row._mapping) for row in db.execute(query)]

    def remarked(self, project_id: int) -> list[tuple[Item, Comment | None]]:
        """Return the items that are flagged or whose example has comments on their task, but for reviews.

        An item comes once with each comment, oldest first, and once with None where it is only flagged.
        """
        said = and_(Comments.example_id == Items.example_id, Comments.task == Items.task)
        query = (
            select(*columns(Item, Items), *columns(Comment, Comments))
            .outerjoin(Comments, said)
            .where(Items.project_id == project_id, Items.purpose != REVIEW)
            .where(or_(Items.flagged, Comments.id.is_not(None)))
            .order_by(Items.id, Comments.id)
        )
        size = len(columns(Item, Items))
        with self.reading() as db:
            rows = [(row[:size], row[size:]) for row in db.execute(query)]
        return [(Item(*item), Comment(*comment) if any(comment) else None) for item, comment in rows]

    def add_suggestions(self, rows: Iterable[tuple[int, str, str, dict[str, Any]]]) -> None:
        """Add what a model proposes.

        Args:
            rows: (example id, task, model, suggestion) of each, all kept or none.
        """
        now = self.now()
        names = ("example_id", "task", "model", "data")
        values = [{**dict(zip(names, row, strict=True)), "created": now} for row in rows]
        with self.writing() as db:
            for chunk in chunks(values, CHUNK):
                db.execute(insert(Suggestions), chunk)

    def suggestion(self, example_id: int, task: str) -> Suggestion | None:
        """Return the newest suggestion for an example."""
        with self.reading() as db:
            row = db.execute(SUGGESTION, {"example": example_id, "task": task}).first()
        return None if row is None else Suggestion(**row._mapping)

    def suggestions(self, ids: Sequence[int]) -> dict[int, Suggestion]:
        """Return suggestions by their ids."""
        found: dict[int, Suggestion] = {}
        with self.reading() as db:
            for chunk in chunks(ids, CHUNK):
                query = select(*columns(Suggestion, Suggestions)).where(Suggestions.id.in_(chunk))
                found |= {row.id: Suggestion(**row._mapping) for row in db.execute(query)}
        return found

    def suggestions_of(self, project_id: int, task: str) -> dict[int, Suggestion]:
        """Return the newest suggestion for each example that has one, by the example's id."""
        newest = (
            select(func.max(Suggestions.id))
            .join(Examples, Suggestions.example_id == Examples.id)
            .where(Examples.project_id == project_id, Suggestions.task == task)
            .group_by(Suggestions.example_id)
        )
        query = select(*columns(Suggestion, Suggestions)).where(Suggestions.id.in_(newest))
        with self.reading() as db:
            return {row.example_id: Suggestion(**row._mapping) for row in db.execute(query)}

    def progress(self, project_id: int, annotator: str | None = None) -> list[Progress]:
        """Return how far everybody, or one person, is: one entry a task, purpose and person.

        Pages send sums, see `Revision`: the newest revision of each page counts, and the pages of an item are added up.
        """
        who = (Items.task, Items.purpose, Items.annotator)
        wanted = [Items.project_id == project_id, *([] if annotator is None else [Items.annotator == annotator])]
        done = Items.status == "done"
        newest = (
            select(func.max(Revisions.id))  # ids of a page rise with its numbers
            .join(Items, Revisions.item_id == Items.id)
            .where(*wanted)
            .group_by(Revisions.item_id, Revisions.client)
        )
        effort = (
            select(
                Revisions.item_id,
                func.sum(Revisions.seconds).label("seconds"),
                func.sum(Revisions.edits).label("edits"),
            )
            .where(Revisions.id.in_(newest))
            .group_by(Revisions.item_id)
            .subquery()
        )
        query = (
            select(
                *who,
                func.count().label("total"),
                func.count().filter(done).label("done"),
                func.count().filter(Items.status == "skipped").label("skipped"),
                func.count().filter(Items.flagged).label("flagged"),
                func.coalesce(func.sum(effort.c.seconds), 0.0).label("seconds"),
                func.coalesce(func.sum(effort.c.edits), 0).label("edits"),
                func.coalesce(func.sum(Examples.length).filter(done), 0).label("tokens"),
            )
            .join(Examples, Items.example_id == Examples.id)
            .outerjoin(effort, effort.c.item_id == Items.id)
            .where(*wanted)
            .group_by(*who)
            .order_by(Items.task, Items.purpose, Items.annotator.is_(None), Items.annotator)
        )
        with self.reading() as db:
            rows = [dict(row._mapping) for row in db.execute(query)]
        return [Progress(**{**row, "edits": int(row["edits"]), "tokens": int(row["tokens"])}) for row in rows]
