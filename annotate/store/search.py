"""Lists of a project's examples, and the batches of examples that a search goes through."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Select, Text, and_, case, cast, func, null, or_, select

from annotate.store.database import CHUNK_ROWS, Database
from annotate.store.joins import JOINED
from annotate.store.records import REST, REVIEW, Item, Revision, StoredExample
from annotate.store.tables import Comments, Examples, Items, Revisions, columns, pairs

SPLITS = ("pool", "test", REST)

CASE_VARIANT_CHARS = frozenset("iIkKsS;`")
"""ASCII characters that are the NFC, or a case variant, of other characters, such as Turkish dotted I."""

UNDRAWN = "undrawn"
"""Status of an example that has no item."""


@dataclass(frozen=True, slots=True)
class ExampleFilter:
    """Conditions on examples and their items in a task, all of which must hold.

    Args:
        status: ``open``, ``skipped``, ``done`` or ``undrawn``.
        purpose: ``shots`` or ``test``.
        flagged: whether to return only flagged items.
        commented: whether to return only examples with comments.
    """

    task: str
    annotator: str | None = None
    status: str | None = None
    purpose: str | None = None
    flagged: bool = False
    commented: bool = False


class ListedExample(NamedTuple):
    """An example with one of its items, None if it is not drawn, and its number of comments."""

    example: StoredExample
    item: Item | None
    comments: int


class SearchBatch(NamedTuple):
    """Some examples with items that match a filter, and all of their items with revisions, by example id."""

    rows: list[tuple[StoredExample, Item | None]]
    saved: dict[int, list[tuple[Item, Revision | None]]]


_comments = (
    select(func.count())
    .where(Comments.c.example_id == Examples.c.id, Comments.c.task == Items.c.task)
    .correlate(Examples, Items)
    .scalar_subquery()
)
_newest = (
    # + 0: see `annotate.store.revisions.NEWEST_FIRST`
    select(func.max(Revisions.c.id + 0)).where(Revisions.c.item_id == Items.c.id).correlate(Items).scalar_subquery()
)

ORDERS: dict[str, tuple[ColumnElement[Any], ...]] = {
    "position": (),
    "shortest": (Examples.c.length,),
    "longest": (Examples.c.length.desc(),),
    "newest": (func.coalesce(_newest, 0).desc(),),
}
"""Sort orders of examples: by position, by length, or by time of the last revision."""


class SearchStore(Database):
    """Filtered lists of a project's examples."""

    def list_examples(
        self, project_id: int, wanted: ExampleFilter, order: str = "position", offset: int = 0, limit: int = 100
    ) -> list[ListedExample]:
        """Return one page of the examples that match a filter, in one of `ORDERS`."""
        ids = (Examples.c.id, Items.c.id, _comments)
        query = self._filter(select(*ids), project_id, wanted)
        query = query.order_by(*ORDERS[order], Examples.c.position, Items.c.id).offset(offset).limit(limit)
        with self.reading() as db:
            rows = db.execute(query).all()
            examples = _by_id(db, StoredExample, Examples, [row[0] for row in rows])
            items = _by_id(db, Item, Items, [row[1] for row in rows if row[1]])
        return [ListedExample(examples[example], items.get(item), comments) for example, item, comments in rows]

    def count(self, project_id: int, wanted: ExampleFilter) -> int:
        """Return the number of examples that match a filter."""
        with self.reading() as db:
            return db.scalar(self._filter(select(func.count()), project_id, wanted)) or 0

    def texts(self, project_id: int, wanted: ExampleFilter, part: str = "") -> Iterator[tuple[int, str]]:
        """Yield (id, text) of the examples that match a filter, by position.

        The text of a pair has one line for each side; that of a sentence includes the sentences joined to it. Examples
        whose JSON lacks `part` (in NFC) are skipped, ignoring case and normalization.
        """
        text, *pair = (Examples.c.content[name].as_string() for name in ("text", "premise", "hypothesis"))
        following = Examples.c.content["following"] if self._has_joined(project_id) else null()
        whole = func.coalesce(text, pair[0] + "\n" + pair[1])
        query = self._filter(select(Examples.c.id, whole, following), project_id, wanted)
        if part:
            query = query.where(self._contains(part))
        for window in self._windows(query, project_id):
            with self.reading() as db:
                rows = db.execute(window).all()
            for id, text, joined in rows:
                yield id, " ".join([text, *(sentence["text"] for sentence in joined or ())])

    def count_recordings(self, project_id: int) -> dict[str, int]:
        """Return the names of the recordings of a project, each with its number of sentences."""
        file = Examples.c.content["recording"]["file"].as_string()
        query = select(file, func.count()).where(Examples.c.project_id == project_id, file.is_not(None)).group_by(file)
        with self.reading() as db:
            return {str(name): int(count) for name, count in db.execute(query.order_by(file))}

    def origins(self, project_id: int, marker: str) -> list[tuple[int, str, dict[str, Any] | None]]:
        """Return (position, ``where``, content where it has the marker, else None) of every example."""
        marked = cast(Examples.c.content, Text).contains(marker, autoescape=True)
        content = case((marked, Examples.c.content), else_=null())
        query = select(Examples.c.position, Examples.c.content["where"].as_string(), content)
        with self.reading() as db:
            rows = db.execute(query.where(Examples.c.project_id == project_id).order_by(Examples.c.position))
            return [(position, where or "", example) for position, where, example in rows]

    def lengths(self, project_id: int, split: str) -> list[tuple[int, int]]:
        """Return (id, length in tokens) of every example of a split, by position."""
        mine = (Examples.c.project_id == project_id, Examples.c.split == split)
        query = select(Examples.c.id, Examples.c.length).where(*mine).order_by(Examples.c.position)
        with self.reading() as db:
            return [(id, length) for id, length in db.execute(query)]

    def search_batches(
        self,
        project_id: int,
        wanted: ExampleFilter,
        holding: Sequence[Collection[str]] = (),
        ids: Collection[int] | None = None,
    ) -> Iterator[SearchBatch]:
        """Yield the examples that match a filter in batches, by position.

        Args:
            holding: skip unannotated examples whose JSON lacks all texts of one of these collections, ignoring case.
            ids: of the only examples to yield; None: all.
        """
        query = self._filter(select(*columns(Examples, StoredExample), *columns(Items, Item)), project_id, wanted)
        for parts in holding:
            query = query.where(or_(Items.c.id.is_not(None), *map(self._contains, parts)))
        if ids is not None:
            query = query.where(Examples.c.id.in_(ids))
        for window in self._windows(query, project_id) if ids is None else [query.order_by(Examples.c.position)]:
            with self.reading() as db:
                rows = pairs(db.execute(window.order_by(Items.c.id)), StoredExample, Item)
                yield SearchBatch(rows, _saved_items(db, {example.id for example, item in rows if item}))

    def _windows(self, query: Select[Any], project_id: int) -> Iterator[Select[Any]]:
        """Yield the query restricted to one range of positions at a time."""
        with self.reading() as db:
            last = db.scalar(select(func.max(Examples.c.position)).where(Examples.c.project_id == project_id))
        for first in range(0, 0 if last is None else last + 1, CHUNK_ROWS):
            yield query.where(Examples.c.position.between(first, first + CHUNK_ROWS - 1)).order_by(Examples.c.position)

    def saved_items(self, ids: Collection[int]) -> dict[int, list[tuple[Item, Revision | None]]]:
        """Return the items of examples, each with its newest revision, by example id."""
        with self.reading() as db:
            return _saved_items(db, ids)

    def _has_joined(self, project_id: int) -> bool:
        joined = (Examples.c.project_id == project_id, Examples.c.split.startswith(JOINED))
        with self.reading() as db:
            return db.scalar(select(Examples.c.id).where(*joined).limit(1)) is not None

    def _filter(self, query: Select[Any], project_id: int, wanted: ExampleFilter) -> Select[Any]:
        task = and_(Items.c.example_id == Examples.c.id, Items.c.task == wanted.task, Items.c.purpose != REVIEW)
        rows: FromClause = Examples.outerjoin(Items, task)
        conditions = [Examples.c.project_id == project_id, Examples.c.split.in_(SPLITS)]
        for column, value in ((Items.c.annotator, wanted.annotator), (Items.c.purpose, wanted.purpose)):
            if value is not None:
                conditions.append(column == value)
        if wanted.status is not None:
            conditions.append(Items.c.id.is_(None) if wanted.status == UNDRAWN else Items.c.status == wanted.status)
        if wanted.flagged:
            conditions.append(Items.c.flagged)
        if wanted.commented:
            commented = select(Comments.c.example_id).where(Comments.c.task == wanted.task)
            conditions += [Items.c.id.is_not(None), Examples.c.id.in_(commented)]
        return query.select_from(rows).where(*conditions)

    def _contains(self, text: str) -> ColumnElement[bool]:
        """Return a condition that is true for all JSON that contains a text, and for little else."""
        pattern = "".join(map(_like_pattern, text))
        content = cast(Examples.c.content, Text)
        like = content.like if self.is_sqlite else content.ilike
        return like(f"%{pattern}%", escape="!")


def _like_pattern(char: str) -> str:
    """Return the LIKE pattern of a character; databases ignore case and accents for ASCII only."""
    if char in "%_!":
        return f"!{char}"
    return char if char.isascii() and char not in CASE_VARIANT_CHARS else "%"


def _by_id(db: Any, record: Any, table: Any, ids: Sequence[int]) -> dict[int, Any]:
    return {row.id: record(*row) for row in db.execute(select(*columns(table, record)).where(table.c.id.in_(ids)))}


def _saved_items(db: Any, ids: Collection[int]) -> dict[int, list[tuple[Item, Revision | None]]]:
    if not ids:
        return {}
    theirs = select(Items.c.id).where(Items.c.example_id.in_(ids))
    newest = select(func.max(Revisions.c.id)).where(Revisions.c.item_id.in_(theirs)).group_by(Revisions.c.item_id)
    query = (
        select(*columns(Items, Item), *columns(Revisions, Revision))
        .outerjoin(Revisions, and_(Revisions.c.item_id == Items.c.id, Revisions.c.id.in_(newest)))
        .where(Items.c.example_id.in_(ids))
    )
    saved: dict[int, list[tuple[Item, Revision | None]]] = {}
    for item, revision in pairs(db.execute(query), Item, Revision):
        saved.setdefault(item.example_id, []).append((item, revision))
    return saved
