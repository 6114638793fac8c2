"""Projects and their examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, func, insert, select, update

from annotate.store.database import CHUNK, Database, chunks, require_project
from annotate.store.errors import StoreError
from annotate.store.tables import (
    Comments,
    Example,
    Examples,
    Items,
    NewProject,
    People,
    Project,
    Projects,
    Revisions,
    Suggestions,
    belonging,
    columns,
    metadata,
)

ABANDONED = timedelta(days=1)
"""After which a project whose making was killed is removed."""

FIXED = {"id", "pool_size", "test_size", "created", "ready"}

NewExample = tuple[str, str, int, dict[str, Any]]
"""Split, key, length and content."""


class ProjectStore(Database):
    """What is annotated."""

    def create_project(self, new: NewProject, examples: Iterable[NewExample], people: Sequence[str]) -> Project:
        """Make a project; nobody sees it before the last example is in, and others work on meanwhile.

        Args:
            examples: (split, key, length, content) of each, read as they are written.
            people: names of those who work on it.

        Raises:
            StoreError: when the name cannot be one, or the database cannot take it; nothing is left of the project.
        """
        given = asdict(new) | {"pool_size": 0, "test_size": 0, "created": self.now(), "ready": False}
        given |= {"name": _name(new.name), "archived": False}
        self._remove(Projects.c.created < self.now() - ABANDONED)
        with self.writing() as db:
            project_id = db.execute(insert(Projects).values(given).returning(Projects.c.id)).scalar_one()
        try:
            self._fill(project_id, examples)
            with self.writing() as db:
                _add_people(db, project_id, people)
                db.execute(update(Projects).where(Projects.c.id == project_id).values(ready=True))
        except BaseException:
            self._remove(Projects.c.id == project_id)
            raise
        return self.project(project_id)

    def add_examples(self, project_id: int, examples: Iterable[NewExample]) -> int:
        """Add examples behind those that a project has, a chunk at a time: others work on meanwhile, and may draw them.

        Args:
            examples: see `create_project`. Where reading or writing them fails, what was written by then stays.

        Returns:
            How many they are.

        Raises:
            StoreError: when there is no such project, or the database cannot take them.
        """
        self.project(project_id)
        return self._fill(project_id, examples)

    def delete_project(self, project_id: int) -> None:
        """Delete a project with everything in it, for good; where that is interrupted, nobody sees what is left of it.

        Raises:
            StoreError: when there is no such project.
        """
        with self.writing() as db:
            require_project(db, project_id)
            db.execute(update(Projects).where(Projects.c.id == project_id).values(ready=False))
        self._remove(Projects.c.id == project_id)

    def projects(self, user: str | None = None, archived: bool | None = False) -> list[Project]:
        """Return the projects, or those that a user works on, oldest first.

        Args:
            archived: whether those that are archived are returned, or the others; None: both.
        """
        query = select(*columns(Project)).where(Projects.c.ready).order_by(Projects.c.id)
        if archived is not None:
            query = query.where(Projects.c.archived.is_(archived))
        if user is not None:
            query = query.where(Projects.c.id.in_(select(People.c.project_id).where(People.c.name == user)))
        with self.reading() as db:
            return [Project(*row) for row in db.execute(query)]

    def project(self, project_id: int) -> Project:
        """Return a project.

        Raises:
            StoreError: when there is none of this id.
        """
        query = select(*columns(Project)).where(Projects.c.id == project_id, Projects.c.ready)
        with self.reading() as db:
            row = db.execute(query).first()
        if row is None:
            raise StoreError(f"no project {project_id}; choose another one")
        return Project(*row)

    def update_project(self, project_id: int, **changes: Any) -> Project:
        """Change settings of a project, for example ``update_project(1, wage=30.0)``.

        Raises:
            StoreError: for something that no project has or that is fixed, a name that cannot be one, and where there
                is no such project.
        """
        known = {column.name for column in Projects.columns} - FIXED
        if not changes.keys() <= known:
            raise StoreError(
                f"{', '.join(sorted(changes.keys() - known))} cannot be changed; {', '.join(sorted(known))} can"
            )
        if "name" in changes:
            changes["name"] = _name(changes["name"])
        if changes:
            with self.writing() as db:
                db.execute(update(Projects).where(Projects.c.id == project_id).values(changes))
        return self.project(project_id)

    def holdings(self, project_id: int) -> dict[str, int]:
        """Return how many rows of each table belong to a project."""
        with self.reading() as db:
            counted = (
                (table, select(func.count()).where(belonging(table, project_id))) for table in metadata.sorted_tables
            )
            return {table.name: db.scalar(query.select_from(table)) or 0 for table, query in counted}

    def recorded(self, project_id: int) -> dict[str, int]:
        """Return the names of the recordings that sentences of a project name, each with the number of these."""
        file = Examples.c.content["recording"]["file"].as_string()
        query = select(file, func.count()).where(Examples.c.project_id == project_id, file.is_not(None)).group_by(file)
        with self.reading() as db:
            return {str(name): int(count) for name, count in db.execute(query.order_by(file))}

    def project_people(self, project_id: int) -> list[str]:
        """Return who works on a project, in the order given."""
        query = select(People.c.name).where(People.c.project_id == project_id).order_by(People.c.position)
        with self.reading() as db:
            return list(db.scalars(query))

    def set_project_people(self, project_id: int, names: Sequence[str]) -> None:
        """Say who works on a project; what others have done stays."""
        with self.writing() as db:
            require_project(db, project_id)
            db.execute(delete(People).where(People.c.project_id == project_id))
            _add_people(db, project_id, names)

    def examples(
        self,
        project_id: int,
        split: str | None = None,
        ids: Collection[int] | None = None,
    ) -> Iterator[Example]:
        """Yield examples by position, of one split or of these ids alone where they are given, a chunk at a time."""
        query = select(*columns(Example)).where(Examples.c.project_id == project_id)
        if split is not None:
            query = query.where(Examples.c.split == split)
        query = query.order_by(Examples.c.position)
        rows = self._pages(query) if ids is None else self._chosen(query, ids)
        return (Example(*row) for row in rows)

    def _pages(self, query: Select[Any]) -> Iterator[Any]:
        last = -1
        while True:
            with self.reading() as db:
                page = db.execute(query.where(Examples.c.position > last).limit(CHUNK)).all()
            yield from page
            if len(page) < CHUNK:
                return
            last = page[-1].position

    def _chosen(self, query: Select[Any], ids: Collection[int]) -> Iterator[Any]:
        for chunk in chunks(sorted(ids), CHUNK):  # ids rise with the position
            with self.reading() as db:
                page = db.execute(query.where(Examples.c.id.in_(chunk))).all()
            yield from page

    def lengths(self, project_id: int, split: str) -> list[tuple[int, int]]:
        """Return (id, length in tokens) of every example of a split, by position."""
        mine = (Examples.c.project_id == project_id, Examples.c.split == split)
        query = select(Examples.c.id, Examples.c.length).where(*mine).order_by(Examples.c.position)
        with self.reading() as db:
            return [(id, length) for id, length in db.execute(query)]

    def _fill(self, project_id: int, examples: Iterable[NewExample]) -> int:
        """Add examples behind those that there are; return how many they are."""
        names, added = ("split", "key", "length", "content"), 0
        for chunk in chunks(examples, CHUNK):
            with self.writing() as db:
                mine = Examples.c.project_id == project_id
                db.execute(
                    select(Projects.c.id).where(Projects.c.id == project_id).with_for_update()
                )  # one adds at a time
                first = db.scalar(select(func.coalesce(func.max(Examples.c.position) + 1, 0)).where(mine))
                rows = [
                    {"project_id": project_id, "position": position, **dict(zip(names, example, strict=True))}
                    for position, example in enumerate(chunk, start=first)
                ]
                db.execute(insert(Examples), rows)
                sizes = Counter(str(row["split"]) for row in rows)
                more = {f"{split}_size": Projects.c[f"{split}_size"] + sizes[split] for split in ("pool", "test")}
                db.execute(update(Projects).where(Projects.c.id == project_id).values(more))
            added += len(rows)
        return added

    def _remove(self, *unfinished: ColumnElement[bool]) -> None:
        """Delete projects that are not ready, their examples a chunk at a time, so that others work on meanwhile."""
        with self.reading() as db:
            ids = list(db.scalars(select(Projects.c.id).where(Projects.c.ready.is_(False), *unfinished)))
        for project_id in ids:
            while self._remove_examples(project_id):
                pass
            with self.writing() as db:
                db.execute(select(Projects.c.id).where(Projects.c.id == project_id).with_for_update())
                for table in reversed(metadata.sorted_tables):
                    db.execute(delete(table).where(belonging(table, project_id)))

    def _remove_examples(self, project_id: int) -> int:
        """Delete some examples with all that people and models said of them; nobody adds to it in between."""
        chunk = select(Examples.c.id).where(Examples.c.project_id == project_id).limit(CHUNK).with_for_update()
        with self.writing() as db:
            ids = list(db.scalars(chunk))
            items = select(Items.c.id).where(Items.c.example_id.in_(ids))
            db.execute(items.with_for_update())
            db.execute(delete(Revisions).where(Revisions.c.item_id.in_(items)))
            for table in (Items, Comments, Suggestions):
                db.execute(delete(table).where(table.c.example_id.in_(ids)))
            db.execute(delete(Examples).where(Examples.c.id.in_(ids)))
        return len(ids)


def _add_people(db: Connection, project_id: int, names: Sequence[str]) -> None:
    rows = [
        {"project_id": project_id, "name": name, "position": place} for place, name in enumerate(dict.fromkeys(names))
    ]
    if rows:
        db.execute(insert(People), rows)


def _name(given: str) -> str:
    """Return the name of a project without spaces around it."""
    name = given.strip()
    if not name or not name.isprintable():
        raise StoreError(f"{given!r} cannot be the name of a project; write one of letters, on one line")
    return name
