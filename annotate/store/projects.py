"""Projects and their examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, insert, select, update

from annotate.store.database import CHUNK, Database, chunks, columns, require_project
from annotate.store.errors import StoreError
from annotate.store.records import Example, NewProject, Project
from annotate.store.schema import Examples
from annotate.store.schema import People as PeopleTable
from annotate.store.schema import Projects as ProjectsTable

ABANDONED = timedelta(days=1)
"""After which a project whose making was killed is removed."""

FIXED = {"id", "pool_size", "test_size", "created", "ready"}


class Projects(Database):
    """What is annotated."""

    def create_project(
        self, new: NewProject, examples: Iterable[tuple[str, str, int, dict[str, Any]]], people: Sequence[str]
    ) -> Project:
        """Make a project; nobody sees it before the last example is in, and others work on meanwhile.

        Args:
            new: what it is.
            examples: (split, key, length, content) of each, read as they are written.
            people: names of those who work on it.

        Raises:
            StoreError: when the database cannot take it; nothing is left of the project.
        """
        given = asdict(new) | {"pool_size": 0, "test_size": 0, "created": self.now(), "ready": False}
        self._remove(ProjectsTable.created < self.now() - ABANDONED)
        with self.writing() as db:
            project_id = db.execute(insert(ProjectsTable).values(given).returning(ProjectsTable.id)).scalar_one()
        try:
            sizes = self._fill(project_id, examples)
            with self.writing() as db:
                _add_people(db, project_id, people)
                ready = {"pool_size": sizes["pool"], "test_size": sizes["test"], "ready": True}
                db.execute(update(ProjectsTable).where(ProjectsTable.id == project_id).values(ready))
        except BaseException:
            self._remove(ProjectsTable.id == project_id)
            raise
        return self.project(project_id)

    def projects(self, user: str | None = None) -> list[Project]:
        """Return all projects, or those that a user works on, oldest first."""
        query = select(*columns(Project, ProjectsTable)).where(ProjectsTable.ready).order_by(ProjectsTable.id)
        if user is not None:
            query = query.where(ProjectsTable.id.in_(select(PeopleTable.project_id).where(PeopleTable.name == user)))
        with self.reading() as db:
            return [_project(row) for row in db.execute(query)]

    def project(self, project_id: int) -> Project:
        """Return a project.

        Raises:
            StoreError: when there is none of this id.
        """
        query = select(*columns(Project, ProjectsTable)).where(ProjectsTable.id == project_id, ProjectsTable.ready)
        with self.reading() as db:
            row = db.execute(query).first()
        if row is None:
            raise StoreError(f"no project {project_id}; choose another one")
        return _project(row)

    def update_project(self, project_id: int, **changes: Any) -> Project:
        """Change settings of a project, for example ``update_project(1, wage=30.0)``.

        Raises:
            StoreError: for something that no project has or that is fixed, and where there is no such project.
        """
        known = {column.name for column in ProjectsTable.__table__.columns} - FIXED
        if not changes.keys() <= known:
            raise StoreError(
                f"{', '.join(sorted(changes.keys() - known))} cannot be changed; {', '.join(sorted(known))} can"
            )
        if "tasks" in changes:
            changes["tasks"] = list(changes["tasks"])
        if changes:
            with self.writing() as db:
                db.execute(update(ProjectsTable).where(ProjectsTable.id == project_id).values(changes))
        return self.project(project_id)

    def project_people(self, project_id: int) -> list[str]:
        """Return who works on a project, in the order given."""
        query = select(PeopleTable.name).where(PeopleTable.project_id == project_id).order_by(PeopleTable.position)
        with self.reading() as db:
            return list(db.scalars(query))

    def set_project_people(self, project_id: int, names: Sequence[str]) -> None:
        """Say who works on a project; what others have done stays."""
        with self.writing() as db:
            require_project(db, project_id)
            db.execute(delete(PeopleTable).where(PeopleTable.project_id == project_id))
            _add_people(db, project_id, names)

    def examples(
        self,
        project_id: int,
        split: str | None = None,
        ids: Collection[int] | None = None,
    ) -> Iterator[Example]:
        """Yield examples by position, a chunk at a time.

        Args:
            project_id: whose.
            split: ``pool`` or ``test``; both by default.
            ids: only these.
        """
        query = select(*columns(Example, Examples)).where(Examples.project_id == project_id)
        if split is not None:
            query = query.where(Examples.split == split)
        query = query.order_by(Examples.position)
        rows = self._pages(query) if ids is None else self._chosen(query, ids)
        return (Example(**row._mapping) for row in rows)

    def _pages(self, query: Select[Any]) -> Iterator[Row[Any]]:
        last = -1
        while True:
            with self.reading() as db:
                page = db.execute(query.where(Examples.position > last).limit(CHUNK)).all()
            yield from page
            if len(page) < CHUNK:
                return
            last = page[-1].position

    def _chosen(self, query: Select[Any], ids: Collection[int]) -> Iterator[Row[Any]]:
        for chunk in chunks(sorted(ids), CHUNK):  # ids rise with the position
            with self.reading() as db:
                page = db.execute(query.where(Examples.id.in_(chunk))).all()
            yield from page

    def lengths(self, project_id: int, split: str) -> list[tuple[int, int]]:
        """Return (id, length in tokens) of every example of a split, by position."""
        query = select(Examples.id, Examples.length).where(Examples.project_id == project_id, Examples.split == split)
        with self.reading() as db:
            return [(id, length) for id, length in db.execute(query.order_by(Examples.position))]

    def _fill(self, project_id: int, examples: Iterable[tuple[str, str, int, dict[str, Any]]]) -> Counter[str]:
        sizes: Counter[str] = Counter()
        rows: list[dict[str, Any]]
        for chunk in chunks(enumerate(examples), CHUNK):
            rows = [
                {
                    "project_id": project_id,
                    "position": position,
                    "split": split,
                    "key": key,
                    "length": length,
                    "content": content,
                }
                for position, (split, key, length, content) in chunk
            ]
            with self.writing() as db:
                db.execute(insert(Examples), rows)
            sizes.update(row["split"] for row in rows)
        return sizes

    def _remove(self, *unfinished: ColumnElement[bool]) -> None:
        with self.writing() as db:
            ids = list(db.scalars(select(ProjectsTable.id).where(ProjectsTable.ready.is_(False), *unfinished)))
            for table, column in ((Examples, Examples.project_id), (ProjectsTable, ProjectsTable.id)):
                db.execute(delete(table).where(column.in_(ids)))


def _project(row: Row[Any]) -> Project:
    return Project(**{**row._mapping, "tasks": tuple(row.tasks)})


def _add_people(db: Connection, project_id: int, names: Sequence[str]) -> None:
    rows = [
        {"project_id": project_id, "name": name, "position": place} for place, name in enumerate(dict.fromkeys(names))
    ]
    if rows:
        db.execute(insert(PeopleTable), rows)
