"""What stands beside annotations: comments, what is to stay as it is, and suggestions of models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, delete, exists, func, insert, or_, select

from annotate.store.database import CHUNK, Database, chunks, lock_project
from annotate.store.errors import StoreError
from annotate.store.items import REVIEW, SHOTS
from annotate.store.records import Comment, Item, Suggestion, columns, pairs
from annotate.store.tables import Accepted, Comments, Examples, Items, Revisions, Suggestions

LONGEST = 10_000
"""Most characters of a comment."""

ENCODER, LLM, BOTH = "encoder", "llm", "both"

SUGGESTERS = {ENCODER: (ENCODER,), LLM: (LLM,), BOTH: (ENCODER, LLM)}
"""The sources of the suggestions that a project may show; where both are there, the first is laid out."""

SUGGESTION = (
    select(*columns(Suggestions, Suggestion))
    .where(Suggestions.c.example_id == bindparam("example"), Suggestions.c.task == bindparam("task"))
    .where(Suggestions.c.source == bindparam("source"))
    .order_by(Suggestions.c.id.desc())
    .limit(1)
)


class RemarkStore(Database):
    """Comments, what is accepted, and suggestions."""

    def add_comment(self, example_id: int, task: str, author: str, text: str, about: str = "") -> Comment:
        """Add a remark on an example, or on a part of it.

        Raises:
            StoreError: when it is longer than `LONGEST`, or holds what no database keeps.
        """
        if len(text) > LONGEST:
            raise StoreError(f"a comment of {len(text):,} characters; write one of at most {LONGEST:,}")
        if "\x00" in text:
            raise StoreError("the comment holds a control character (U+0000); remove it")
        values = {"example_id": example_id, "task": task, "author": author, "text": text, "about": about}
        added = insert(Comments).values(created=self.now(), **values).returning(*columns(Comments, Comment))
        with self.writing() as db:
            return Comment(*db.execute(added).one())

    def comments(self, example_id: int) -> list[Comment]:
        """Return the remarks on an example, oldest first."""
        query = select(*columns(Comments, Comment)).where(Comments.c.example_id == example_id).order_by(Comments.c.id)
        return self._fetch_all(Comment, query)

    def remarked(self, project_id: int) -> list[tuple[Item, Comment | None]]:
        """Return the items that are flagged or whose example has comments on their task, but for reviews.

        An item comes once with each comment, oldest first, and once with None where it is only flagged.
        """
        said = and_(Comments.c.example_id == Items.c.example_id, Comments.c.task == Items.c.task)
        query = (
            select(*columns(Items, Item), *columns(Comments, Comment))
            .outerjoin(Comments, said)
            .where(Items.c.project_id == project_id, Items.c.purpose != REVIEW)
            .where(or_(Items.c.flagged, Comments.c.id.is_not(None)))
            .order_by(Items.c.id, Comments.c.id)
        )
        with self.reading() as db:
            return pairs(db.execute(query), Item, Comment)

    def accept(self, project_id: int, task: str, key: str, author: str) -> None:
        """Let stay what looked like an error; who has said so first is kept."""
        same = {"project_id": project_id, "task": task, "key": key}
        with self.writing() as db:
            if not db.execute(select(Accepted.c.key).filter_by(**same)).first():
                db.execute(insert(Accepted).values(author=author, created=self.now(), **same))

    def reject(self, project_id: int, task: str, key: str) -> None:
        """Call it an error again."""
        with self.writing() as db:
            db.execute(delete(Accepted).filter_by(project_id=project_id, task=task, key=key))

    def accepted(self, project_id: int, task: str) -> set[str]:
        """Return the keys of what is to stay as it is."""
        with self.reading() as db:
            return set(db.scalars(select(Accepted.c.key).filter_by(project_id=project_id, task=task)))

    def add_suggestions(self, rows: Iterable[tuple[int, str, str, dict[str, Any]]], source: str = ENCODER) -> None:
        """Add what a model proposes.

        Args:
            rows: (example id, task, model, suggestion) of each, all kept or none.
            source: of all of them.
        """
        shared = {"source": source, "created": self.now()}
        names = ("example_id", "task", "model", "data")
        values = [dict(zip(names, row, strict=True)) | shared for row in rows]
        with self.writing() as db:
            for chunk in chunks(values, CHUNK):
                db.execute(insert(Suggestions), chunk)

    def unopened(self, project_id: int, task: str) -> list[Item]:
        """Return the open shots with a suggestion of an encoder whose example nobody has opened, in order."""
        query = _unopened(project_id, task).order_by(Items.c.round_id, Items.c.position)
        return self._fetch_all(Item, query)

    def renew_suggestions(self, project_id: int, task: str, title: str, proposed: Mapping[int, dict[str, Any]]) -> None:
        """Replace the suggestions of encoders for examples that nobody has opened by now; others keep what they have.

        Args:
            title: of the model.
            proposed: what it suggests, by the example's id.
        """
        with self.writing() as db:
            lock_project(db, project_id)  # as whoever opens an item
            ids = {row.example_id for row in db.execute(_unopened(project_id, task))} & proposed.keys()
            if ids:
                of_encoder = (Suggestions.c.task == task, Suggestions.c.source == ENCODER)
                db.execute(delete(Suggestions).where(Suggestions.c.example_id.in_(ids), *of_encoder))
                shared = {"task": task, "model": title, "source": ENCODER, "created": self.now()}
                rows = [{"example_id": key, "data": proposed[key]} | shared for key in sorted(ids)]
                db.execute(insert(Suggestions), rows)

    def suggestion(self, example_id: int, task: str, source: str = ENCODER) -> Suggestion | None:
        """Return the newest suggestion of a source for an example."""
        return self._fetch_first(Suggestion, SUGGESTION, {"example": example_id, "task": task, "source": source})

    def suggestions(self, ids: Sequence[int]) -> dict[int, Suggestion]:
        """Return suggestions by their ids."""
        query = select(*columns(Suggestions, Suggestion))
        parts = (self._fetch_all(Suggestion, query.where(Suggestions.c.id.in_(part))) for part in chunks(ids, CHUNK))
        return {suggestion.id: suggestion for part in parts for suggestion in part}

    def suggestions_of(self, project_id: int, task: str, source: str = ENCODER) -> dict[int, Suggestion]:
        """Return the newest suggestion of a source for each example that has one, by the example's id."""
        return self._newest_suggestions(Examples.c.project_id == project_id, task, source)

    def suggested(self, ids: Collection[int], task: str) -> dict[int, Suggestion]:
        """Return the newest suggestion of an encoder for each of some examples that has one, by the example's id."""
        return self._newest_suggestions(Suggestions.c.example_id.in_(ids), task, ENCODER)

    def _newest_suggestions(self, wanted: ColumnElement[bool], task: str, source: str) -> dict[int, Suggestion]:
        newest = (
            select(func.max(Suggestions.c.id))
            .join(Examples, Suggestions.c.example_id == Examples.c.id)
            .where(wanted, Suggestions.c.task == task, Suggestions.c.source == source)
            .group_by(Suggestions.c.example_id)
        )
        query = select(*columns(Suggestions, Suggestion)).where(Suggestions.c.id.in_(newest))
        return {suggestion.example_id: suggestion for suggestion in self._fetch_all(Suggestion, query)}


def _unopened(project_id: int, task: str) -> Select[Any]:
    """Return the question for open shots with a suggestion of an encoder that nobody has opened or saved for a task."""
    other = Items.alias()
    saved = exists().where(Revisions.c.item_id == other.c.id)
    of_task = (other.c.example_id == Items.c.example_id, other.c.task == task)
    begun = exists().where(*of_task, or_(other.c.opened.is_not(None), other.c.status != "open", saved))
    mine = (Items.c.project_id == project_id, Items.c.task == task, Items.c.purpose == SHOTS, Items.c.status == "open")
    same = (Suggestions.c.example_id == Items.c.example_id, Suggestions.c.task == task)
    suggested = exists().where(*same, Suggestions.c.source == ENCODER)
    return select(*columns(Items, Item)).where(*mine, ~begun, suggested)
