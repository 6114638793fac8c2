"""Lists of a project's examples with what is known of them, and the passages in which something is looked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Select, Text, and_, cast, func, null, or_, select

from annotate.store.database import CHUNK, Database
from annotate.store.items import REVIEW
from annotate.store.joins import JOINED
from annotate.store.records import Example, Item, Revision, columns, pairs
from annotate.store.tables import Comments, Examples, Items, Revisions

SPLITS = ("pool", "test")

ALSO_OTHERS = frozenset("iIkKsS;`")
"""Characters of ASCII that are also the NFC of others, or their lower or upper case, as that of Turkish dotted I."""

UNDRAWN = "undrawn"
"""The status of an example that is nobody's item."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which examples are meant, once for each person who has them: all that is given has to hold.

    Args:
        task: whose items count.
        annotator: who has it.
        status: ``open``, ``skipped``, ``done`` or ``undrawn``.
        purpose: ``shots`` or ``test``.
        flagged: whether only what is flagged is meant.
        commented: whether only what has comments is meant.
    """

    task: str
    annotator: str | None = None
    status: str | None = None
    purpose: str | None = None
    flagged: bool = False
    commented: bool = False


class Listed(NamedTuple):
    """An example for one person, None where it is not drawn, and the number of its comments."""

    example: Example
    item: Item | None
    comments: int


class Passage(NamedTuple):
    """Some examples, and what people have made of them in any task, curators' decisions as well.

    Args:
        rows: of what was wanted.
        saved: the newest revision of each item of theirs, None where nothing is saved, by the example's id.
    """

    rows: list[tuple[Example, Item | None]]
    saved: dict[int, list[tuple[Item, Revision | None]]]


_comments = (
    select(func.count())
    .where(Comments.c.example_id == Examples.c.id, Comments.c.task == Items.c.task)
    .correlate(Examples, Items)
    .scalar_subquery()
)
_newest = (
    # of the plain id PostgreSQL would read revisions backwards for each item until it meets one of its own
    select(func.max(Revisions.c.id + 0)).where(Revisions.c.item_id == Items.c.id).correlate(Items).scalar_subquery()
)

ORDERS: dict[str, tuple[ColumnElement[Any], ...]] = {
    "position": (),
    "shortest": (Examples.c.length,),
    "longest": (Examples.c.length.desc(),),
    "newest": (func.coalesce(_newest, 0).desc(),),
}
"""In which examples are listed: as they came, by length, or by when something was saved last."""


class SearchStore(Database):
    """What a project holds, to look through."""

    def listed(
        self, project_id: int, wanted: Wanted, order: str = "position", offset: int = 0, limit: int = 100
    ) -> list[Listed]:
        """Return a page of the examples that are wanted.

        Args:
            order: of `ORDERS`.
            offset: of the first one.
            limit: how many at most.
        """
        ids = (Examples.c.id, Items.c.id, _comments)
        chosen = self._of(select(*ids), project_id, wanted)
        chosen = chosen.order_by(*ORDERS[order], Examples.c.position, Items.c.id).offset(offset).limit(limit)
        with self.reading() as db:
            found = db.execute(chosen).all()
            examples = _by_id(db, Example, Examples, [row[0] for row in found])
            items = _by_id(db, Item, Items, [row[1] for row in found if row[1]])
        return [Listed(examples[example], items.get(item), comments) for example, item, comments in found]

    def count(self, project_id: int, wanted: Wanted) -> int:
        """Return how many examples are wanted."""
        with self.reading() as db:
            return db.scalar(self._of(select(func.count()), project_id, wanted)) or 0

    def texts(self, project_id: int, wanted: Wanted, part: str = "") -> Iterator[tuple[int, str]]:
        """Yield id and text of the examples that are wanted by position, of pairs both on lines of their own.

        The text of a sentence is that of all that are joined to it.

        Args:
            part: of their JSON, in NFC, whatever its case and form there; those without it are left out.
        """
        text, *both = (Examples.c.content[name].as_string() for name in ("text", "premise", "hypothesis"))
        following = Examples.c.content["following"] if self._has_joined(project_id) else null()
        whole = func.coalesce(text, both[0] + "\n" + both[1])
        query = self._of(select(Examples.c.id, whole, following), project_id, wanted)
        if part:
            query = query.where(self._holds(part))
        for here in self._windows(query, project_id):
            with self.reading() as db:
                found = db.execute(here).all()
            yield from ((id, " ".join([text, *(one["text"] for one in more or ())])) for id, text, more in found)

    def passages(
        self,
        project_id: int,
        wanted: Wanted,
        holding: Sequence[Collection[str]] = (),
        ids: Collection[int] | None = None,
    ) -> Iterator[Passage]:
        """Yield the examples that are wanted by position, some at a time.

        Args:
            holding: those that cannot be meant are left out: an example's JSON has a part of each collection,
                whatever the case of its letters, or somebody has the example, for what was annotated.
            ids: of those that are meant; None: all.
        """
        query = self._of(select(*columns(Examples, Example), *columns(Items, Item)), project_id, wanted)
        for parts in holding:
            query = query.where(or_(Items.c.id.is_not(None), *map(self._holds, parts)))
        if ids is not None:
            query = query.where(Examples.c.id.in_(ids))
        for here in self._windows(query, project_id) if ids is None else [query.order_by(Examples.c.position)]:
            with self.reading() as db:
                rows = pairs(db.execute(here.order_by(Items.c.id)), Example, Item)
                yield Passage(rows, _saved(db, {example.id for example, item in rows if item}))

    def _windows(self, query: Select[Any], project_id: int) -> Iterator[Select[Any]]:
        """Yield a query for some examples at a time."""
        with self.reading() as db:
            last = db.scalar(select(func.max(Examples.c.position)).where(Examples.c.project_id == project_id))
        for first in range(0, 0 if last is None else last + 1, CHUNK):
            yield query.where(Examples.c.position.between(first, first + CHUNK - 1)).order_by(Examples.c.position)

    def saved(self, ids: Collection[int]) -> dict[int, list[tuple[Item, Revision | None]]]:
        """Return the items of some examples, each with its newest revision, by the example's id."""
        with self.reading() as db:
            return _saved(db, ids)

    def _has_joined(self, project_id: int) -> bool:
        joined = (Examples.c.project_id == project_id, Examples.c.split.startswith(JOINED))
        with self.reading() as db:
            return db.scalar(select(Examples.c.id).where(*joined).limit(1)) is not None

    def _of(self, query: Select[Any], project_id: int, wanted: Wanted) -> Select[Any]:
        task = and_(Items.c.example_id == Examples.c.id, Items.c.task == wanted.task, Items.c.purpose != REVIEW)
        both: FromClause = Examples.outerjoin(Items, task)
        conditions = [Examples.c.project_id == project_id, Examples.c.split.in_(SPLITS)]
        for column, value in ((Items.c.annotator, wanted.annotator), (Items.c.purpose, wanted.purpose)):
            if value is not None:
                conditions.append(column == value)
        if wanted.status is not None:
            conditions.append(Items.c.id.is_(None) if wanted.status == UNDRAWN else Items.c.status == wanted.status)
        if wanted.flagged:
            conditions.append(Items.c.flagged)
        if wanted.commented:
            said = select(Comments.c.example_id).where(Comments.c.task == wanted.task)
            conditions += [Items.c.id.is_not(None), Examples.c.id.in_(said)]
        return query.select_from(both).where(*conditions)

    def _holds(self, text: str) -> ColumnElement[bool]:
        """Return a condition that is true of all JSON that has a part, and of little else."""
        pattern = "".join(map(_alike, text))
        content = cast(Examples.c.content, Text)
        like = content.like if self.is_sqlite else content.ilike
        return like(f"%{pattern}%", escape="!")


def _alike(char: str) -> str:
    """Return a pattern of LIKE for a letter; of others than those of ASCII databases know neither cases nor accents."""
    if char in "%_!":
        return f"!{char}"
    return char if char.isascii() and char not in ALSO_OTHERS else "%"


def _by_id(db: Any, record: Any, table: Any, ids: Sequence[int]) -> dict[int, Any]:
    return {row.id: record(*row) for row in db.execute(select(*columns(table, record)).where(table.c.id.in_(ids)))}


def _saved(db: Any, ids: Collection[int]) -> dict[int, list[tuple[Item, Revision | None]]]:
    """Return the items of some examples, each with its newest revision, by the example."""
    if not ids:
        return {}
    theirs = select(Items.c.id).where(Items.c.example_id.in_(ids))
    newest = select(func.max(Revisions.c.id)).where(Revisions.c.item_id.in_(theirs)).group_by(Revisions.c.item_id)
    query = (
        select(*columns(Items, Item), *columns(Revisions, Revision))
        .outerjoin(Revisions, and_(Revisions.c.item_id == Items.c.id, Revisions.c.id.in_(newest)))
        .where(Items.c.example_id.in_(ids))
    )
    found: dict[int, list[tuple[Item, Revision | None]]] = {}
    for item, revision in pairs(db.execute(query), Item, Revision):
        found.setdefault(item.example_id, []).append((item, revision))
    return found
