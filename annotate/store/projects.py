"""Projects and their examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, false, func, insert, select, update

from annotate.store.database import CHUNK, Database, chunks, require_project
from annotate.store.errors import StoreError
from annotate.store.joins import following
from annotate.store.records import Example, NewProject, Project, columns
from annotate.store.tables import Comments, Examples, Items, People, Projects, Revisions, Suggestions, metadata

ABANDONED = timedelta(days=1)
"""After which a project whose making was killed is removed."""

OWNERS = {"item_id": Items, "example_id": Examples}
"""The tables by whose rows others belong to a project."""

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
        query = select(*columns(Projects, Project)).where(Projects.c.ready).order_by(Projects.c.id)
        if archived is not None:
            query = query.where(Projects.c.archived.is_(archived))
        if user is not None:
            query = query.where(Projects.c.id.in_(select(People.c.project_id).where(People.c.name == user)))
        return self._fetch_all(Project, query)

    def project(self, project_id: int) -> Project:
        """Return a project.

        Raises:
            StoreError: when there is none of this id.
        """
        query = select(*columns(Projects, Project)).where(Projects.c.id == project_id, Projects.c.ready)
        if (found := self._fetch_first(Project, query)) is None:
            raise StoreError(f"no project {project_id}; choose another one")
        return found

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
        counts = ((table, select(func.count()).where(belonging(table, project_id))) for table in metadata.sorted_tables)
        with self.reading() as db:
            return {table.name: db.scalar(count.select_from(table)) or 0 for table, count in counts}

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
        query = select(*columns(Examples, Example)).where(Examples.c.project_id == project_id)
        if split is not None:
            query = query.where(Examples.c.split == split)
        query = query.order_by(Examples.c.position)
        if ids is None:
            return self._by_position(query)
        parts = chunks(sorted(ids), CHUNK)  # ids rise with the position
        return (example for part in parts for example in self._fetch_all(Example, query.where(Examples.c.id.in_(part))))

    def _by_position(self, query: Select[Any]) -> Iterator[Example]:
        page = self._fetch_all(Example, query.limit(CHUNK))
        while page:
            yield from page
            rest = query.where(Examples.c.position > page[-1].position)
            page = self._fetch_all(Example, rest.limit(CHUNK)) if len(page) == CHUNK else []

    def following(self, example_id: int, count: int) -> list[Example]:
        """Return an example and as many as follow on it in its project, fewer at its end."""
        with self.reading() as db:
            return following(db, example_id, count)

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


def belonging(table: Table, project_id: int) -> ColumnElement[bool]:
    """Return the condition under which a row belongs to a project; users belong to none."""
    if table is Projects:
        return Projects.c.id == project_id
    if "project_id" in table.c:
        return table.c.project_id == project_id
    for name, owner in OWNERS.items():
        if name in table.c:
            return table.c[name].in_(select(owner.c.id).where(owner.c.project_id == project_id))
    return false()


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
