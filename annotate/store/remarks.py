"""Comments on examples, accepted inconsistencies, and suggestions of models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, delete, exists, func, insert, or_, select

from annotate.store.database import CHUNK_ROWS, Database, chunks, lock_project
from annotate.store.errors import StoreError
from annotate.store.records import REVIEW, SHOTS, Comment, Item, Suggestion
from annotate.store.tables import Accepted, Comments, Examples, Items, Revisions, Suggestions, columns, pairs

MAX_COMMENT_CHARS = 10_000

ENCODER, LLM, BOTH = "encoder", "llm", "both"

HELD_OUT = "held-out"
"""Source of annotations that are never shown as suggestions, see `annotate.worker.cross_check`."""

SUGGESTERS = {ENCODER: (ENCODER,), LLM: (LLM,), BOTH: (ENCODER, LLM)}
"""The sources of suggestions, by a project's setting; the first source with a suggestion is prefilled."""

SUGGESTION = (
    select(*columns(Suggestions, Suggestion))
    .where(Suggestions.c.example_id == bindparam("example"), Suggestions.c.task == bindparam("task"))
    .where(Suggestions.c.source == bindparam("source"))
    .order_by(Suggestions.c.id.desc())
    .limit(1)
)


class RemarkStore(Database):
    """Comments, accepted inconsistencies, and suggestions."""

    def add_comment(self, example_id: int, task: str, author: str, text: str, about: str = "") -> Comment:
        """Add a comment on an example or part of it; StoreError above `MAX_COMMENT_CHARS` or for U+0000."""
        if len(text) > MAX_COMMENT_CHARS:
            raise StoreError(f"the comment has {len(text):,} characters; write at most {MAX_COMMENT_CHARS:,}")
        if "\x00" in text:
            raise StoreError("the comment contains a control character (U+0000); remove it")
        values = {"example_id": example_id, "task": task, "author": author, "text": text, "about": about}
        added = insert(Comments).values(created=self.now(), **values).returning(*columns(Comments, Comment))
        with self.writing() as db:
            return Comment(*db.execute(added).one())

    def comments(self, example_id: int) -> list[Comment]:
        """Return the comments on an example, oldest first."""
        query = select(*columns(Comments, Comment)).where(Comments.c.example_id == example_id).order_by(Comments.c.id)
        return self._fetch_all(Comment, query)

    def answered(self, project_id: int, task: str, annotator: str) -> set[int]:
        """Return the examples of a person whose newest comment on a task is somebody else's, by id."""
        mine = (Items.c.project_id == project_id, Items.c.task == task, Items.c.annotator == annotator)
        examples = select(Items.c.example_id).where(*mine)
        newest = select(func.max(Comments.c.id)).where(Comments.c.example_id.in_(examples), Comments.c.task == task)
        newest = newest.group_by(Comments.c.example_id)
        query = select(Comments.c.example_id).where(Comments.c.id.in_(newest), Comments.c.author != annotator)
        with self.reading() as db:
            return set(db.scalars(query))

    def flagged_or_commented(self, project_id: int) -> list[tuple[Item, Comment | None]]:
        """Return the items that are flagged or whose example has comments on their task, without reviews.

        An item is repeated for each comment, oldest first; an item without comments comes once with None.
        """
        on_task = and_(Comments.c.example_id == Items.c.example_id, Comments.c.task == Items.c.task)
        query = (
            select(*columns(Items, Item), *columns(Comments, Comment))
            .outerjoin(Comments, on_task)
            .where(Items.c.project_id == project_id, Items.c.purpose != REVIEW)
            .where(or_(Items.c.flagged, Comments.c.id.is_not(None)))
            .order_by(Items.c.id, Comments.c.id)
        )
        with self.reading() as db:
            return pairs(db.execute(query), Item, Comment)

    def accept(self, project_id: int, task: str, key: str, author: str) -> None:
        """Accept an inconsistency as correct; if it is accepted already, the first author is kept."""
        same = {"project_id": project_id, "task": task, "key": key}
        with self.writing() as db:
            if not db.execute(select(Accepted.c.key).filter_by(**same)).first():
                db.execute(insert(Accepted).values(author=author, created=self.now(), **same))

    def reject(self, project_id: int, task: str, key: str) -> None:
        """Undo the acceptance of an inconsistency."""
        with self.writing() as db:
            db.execute(delete(Accepted).filter_by(project_id=project_id, task=task, key=key))

    def accepted(self, project_id: int, task: str) -> set[str]:
        """Return the keys of the accepted inconsistencies."""
        with self.reading() as db:
            return set(db.scalars(select(Accepted.c.key).filter_by(project_id=project_id, task=task)))

    def add_suggestions(self, rows: Iterable[tuple[int, str, str, dict[str, Any]]], source: str = ENCODER) -> None:
        """Add suggestions of a source, as (example id, task, model, suggestion), all or none."""
        shared = {"source": source, "created": self.now()}
        names = ("example_id", "task", "model", "data")
        values = [dict(zip(names, row, strict=True)) | shared for row in rows]
        with self.writing() as db:
            for chunk in chunks(values, CHUNK_ROWS):
                db.execute(insert(Suggestions), chunk)

    def unopened_items(self, project_id: int, task: str) -> list[Item]:
        """Return, in order, the open shots with an encoder's suggestion that nobody has opened."""
        query = _select_unopened_shots(project_id, task).order_by(Items.c.round_id, Items.c.position)
        return self._fetch_all(Item, query)

    def renew_suggestions(self, project_id: int, task: str, title: str, proposed: Mapping[int, dict[str, Any]]) -> None:
        """Replace the encoder's suggestions, by example id, for examples that nobody has opened."""
        with self.writing() as db:
            lock_project(db, project_id)  # opening an item locks the project, too
            ids = {row.example_id for row in db.execute(_select_unopened_shots(project_id, task))} & proposed.keys()
            if ids:
                of_encoder = (Suggestions.c.task == task, Suggestions.c.source == ENCODER)
                db.execute(delete(Suggestions).where(Suggestions.c.example_id.in_(ids), *of_encoder))
                shared = {"task": task, "model": title, "source": ENCODER, "created": self.now()}
                rows = [{"example_id": key, "data": proposed[key]} | shared for key in sorted(ids)]
                db.execute(insert(Suggestions), rows)

    def replace_suggestions(
        self, project_id: int, task: str, source: str, rows: Iterable[tuple[int, str, str, dict[str, Any]]]
    ) -> None:
        """Replace the suggestions of a source for a task; revisions must not name any of them."""
        examples = select(Examples.c.id).where(Examples.c.project_id == project_id)
        old = (Suggestions.c.example_id.in_(examples), Suggestions.c.task == task, Suggestions.c.source == source)
        with self.writing() as db:
            db.execute(delete(Suggestions).where(*old))
        self.add_suggestions(rows, source)

    def suggestion(self, example_id: int, task: str, source: str = ENCODER) -> Suggestion | None:
        """Return the newest suggestion of a source for an example."""
        return self._fetch_first(Suggestion, SUGGESTION, {"example": example_id, "task": task, "source": source})

    def suggestions(self, ids: Sequence[int]) -> dict[int, Suggestion]:
        """Return suggestions by their ids."""
        query = select(*columns(Suggestions, Suggestion))
        parts = (
            self._fetch_all(Suggestion, query.where(Suggestions.c.id.in_(part))) for part in chunks(ids, CHUNK_ROWS)
        )
        return {suggestion.id: suggestion for part in parts for suggestion in part}

    def suggestions_of(self, project_id: int, task: str, source: str = ENCODER) -> dict[int, Suggestion]:
        """Return the newest suggestion of a source for each example of a project, by example id."""
        return self._newest_suggestions(Examples.c.project_id == project_id, task, source)

    def suggestions_for(self, ids: Collection[int], task: str) -> dict[int, Suggestion]:
        """Return the newest encoder suggestion for each of the given examples, by example id."""
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


def _select_unopened_shots(project_id: int, task: str) -> Select[Any]:
    any_item = Items.alias()
    saved = exists().where(Revisions.c.item_id == any_item.c.id)
    same_task = (any_item.c.example_id == Items.c.example_id, any_item.c.task == task)
    begun = exists().where(*same_task, or_(any_item.c.opened.is_not(None), any_item.c.status != "open", saved))
    mine = (Items.c.project_id == project_id, Items.c.task == task, Items.c.purpose == SHOTS, Items.c.status == "open")
    same = (Suggestions.c.example_id == Items.c.example_id, Suggestions.c.task == task)
    suggested = exists().where(*same, Suggestions.c.source == ENCODER)
    return select(*columns(Items, Item)).where(*mine, ~begun, suggested)
