"""Projects and their examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import timedelta
from itertools import chain, count
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    delete,
    false,
    func,
    insert,
    select,
    update,
)

from annotate.store.database import CHUNK_ROWS, Database, chunks, require_project
from annotate.store.errors import ConflictError, GoneError, StoreError
from annotate.store.joins import following
from annotate.store.records import NewProject, Project, StoredExample
from annotate.store.tables import Comments, Examples, Items, People, Projects, Revisions, Suggestions, columns, metadata

UNFINISHED_PROJECT_TIMEOUT = timedelta(days=1)
"""Age at which a project whose creation was interrupted is deleted."""

OWNER_TABLES = {"item_id": Items, "example_id": Examples}
"""The tables, by foreign key, through which rows of tables without ``project_id`` belong to a project."""

READ_ONLY_COLUMNS = {"id", "pool_size", "test_size", "created", "ready"}

NewExample = tuple[str, str, int, dict[str, Any]]
"""Split, key, length and content."""


class ProjectStore(Database):
    """Projects, their examples and their annotators."""

    def create_project(
        self, new: NewProject, examples: Iterable[NewExample], people: Sequence[str], unique: bool = False
    ) -> Project:
        """Create a project, chunk by chunk, so that other writers can work; it is visible once complete.

        Args:
            unique: whether the name must be free once the examples are added; of several at once, the first one stays.

        Raises:
            StoreError: when the name is invalid or taken, or the database fails; nothing of the project is left.
        """
        values = asdict(new) | {"pool_size": 0, "test_size": 0, "created": self.now(), "ready": False}
        values |= {"name": _stripped_name(new.name), "archived": False}
        self._remove(Projects.c.created < self.now() - UNFINISHED_PROJECT_TIMEOUT)
        with self.writing() as db:
            project_id = db.execute(insert(Projects).values(values).returning(Projects.c.id)).scalar_one()
        try:
            self._fill(project_id, examples)
            with self.writing() as db:
                if unique:  # locked in one order, so that another one with this name waits, and then sees this one
                    namesakes = select(Projects.c.id).where(Projects.c.name == values["name"])
                    db.execute(namesakes.order_by(Projects.c.id).with_for_update())
                    self.require_free_name(new.name)
                _add_people(db, project_id, people)
                db.execute(update(Projects).where(Projects.c.id == project_id).values(ready=True))
        except BaseException:
            self._remove(Projects.c.id == project_id)
            raise
        return self.project(project_id)

    def add_examples(self, project_id: int, examples: Iterable[NewExample], known: int | None = None) -> int:
        """Add examples at the end of a project, chunk by chunk, and return their number.

        They can be drawn as soon as they are written. If reading or writing fails, the chunks written before remain.

        Args:
            known: number of the project's examples with which these were compared; None: do not check for others.

        Raises:
            ConflictError: when somebody else has added examples in the meantime.
            StoreError: when there is no such project, or the database fails.
        """
        self.project(project_id)
        return self._fill(project_id, examples, known)

    def delete_project(self, project_id: int) -> None:
        """Delete a project with everything in it, invisible from the start; StoreError if there is none."""
        with self.writing() as db:
            require_project(db, project_id)
            db.execute(update(Projects).where(Projects.c.id == project_id).values(ready=False))
        self._remove(Projects.c.id == project_id)

    def projects(self, user: str | None = None, archived: bool | None = False) -> list[Project]:
        """Return all projects, or those of one user, oldest first; `archived` None includes archived ones."""
        query = select(*columns(Projects, Project)).where(Projects.c.ready).order_by(Projects.c.id)
        if archived is not None:
            query = query.where(Projects.c.archived.is_(archived))
        if user is not None:
            query = query.where(Projects.c.id.in_(select(People.c.project_id).where(People.c.name == user)))
        return self._fetch_all(Project, query)

    def project(self, project_id: int) -> Project:
        """Return a project; GoneError if there is none."""
        query = select(*columns(Projects, Project)).where(Projects.c.id == project_id, Projects.c.ready)
        project = self._fetch_first(Project, query)
        if project is None:
            raise GoneError(f"no project {project_id}; choose another one")
        return project

    def has_project(self, project: Project) -> bool:
        """Return whether a project still exists; a new project may have the id of a deleted one."""
        with suppress(GoneError):
            return self.project(project.id).created == project.created
        return False

    def update_project(self, project_id: int, **changes: Any) -> Project:
        """Change settings of a project, for example ``update_project(1, wage=30.0)``.

        Raises:
            StoreError: when a setting is unknown or read-only, the name is invalid, or there is no such project.
        """
        known = {column.name for column in Projects.columns} - READ_ONLY_COLUMNS
        if not changes.keys() <= known:
            raise StoreError(
                f"{', '.join(sorted(changes.keys() - known))} cannot be changed; choose from {', '.join(sorted(known))}"
            )
        if "name" in changes:
            changes["name"] = _stripped_name(changes["name"])
        if changes:
            with self.writing() as db:
                db.execute(update(Projects).where(Projects.c.id == project_id).values(changes))
        return self.project(project_id)

    def change_labels(
        self, project_id: int, task: str, change: Callable[[Sequence[str] | None], list[str] | None]
    ) -> None:
        """Change the labels of a task in one step, so that of several people nobody undoes another's change.

        Args:
            change: returns the new labels, or None to leave the present ones, which it is given.

        Raises:
            StoreError: when there is no such project.
        """
        with self.writing() as db:
            require_project(db, project_id)
            mine = Projects.c.id == project_id
            labels: dict[str, list[str]] = db.execute(select(Projects.c.labels).where(mine)).scalar_one()
            changed = change(labels.get(task))
            if changed is not None:
                db.execute(update(Projects).where(mine).values(labels=labels | {task: changed}))

    def require_free_name(self, name: str, project: Project | None = None) -> None:
        """Raise `StoreError` if a project, or another one than `project`, has a name."""
        if any(each.name == name.strip() and each != project for each in self.projects(archived=None)):
            raise StoreError(f"there is a project named {name.strip()!r} already; choose another name")

    def free_name(self, name: str) -> str:
        """Return a name that no project has: this one, else with the first free number behind it."""
        taken = {project.name for project in self.projects(archived=None)}
        return next(each for each in chain([name], (f"{name} {number}" for number in count(2))) if each not in taken)

    def count_rows(self, project_id: int) -> dict[str, int]:
        """Return the number of rows of each table that belong to a project."""
        count = select(func.count())
        with self.reading() as db:
            return {
                table.name: db.scalar(count.select_from(table).where(belongs_to_project(table, project_id))) or 0
                for table in metadata.sorted_tables
            }

    def project_people(self, project_id: int) -> list[str]:
        """Return the annotators of a project in the order entered."""
        query = select(People.c.name).where(People.c.project_id == project_id).order_by(People.c.position)
        with self.reading() as db:
            return list(db.scalars(query))

    def set_project_people(self, project_id: int, names: Sequence[str]) -> None:
        """Replace the annotators of a project; annotations of former annotators stay."""
        with self.writing() as db:
            require_project(db, project_id)
            db.execute(delete(People).where(People.c.project_id == project_id))
            _add_people(db, project_id, names)

    def examples(
        self,
        project_id: int,
        split: str | None = None,
        ids: Collection[int] | None = None,
    ) -> Iterator[StoredExample]:
        """Yield examples by position, all, those of one split, or those with the given ids."""
        query = select(*columns(Examples, StoredExample)).where(Examples.c.project_id == project_id)
        if split is not None:
            query = query.where(Examples.c.split == split)
        query = query.order_by(Examples.c.position)
        if ids is None:
            return self._by_position(query)
        parts = chunks(sorted(ids), CHUNK_ROWS)  # ids and positions have the same order
        return (
            example
            for part in parts
            for example in self._fetch_all(StoredExample, query.where(Examples.c.id.in_(part)))
        )

    def _by_position(self, query: Select[Any]) -> Iterator[StoredExample]:
        page = self._fetch_all(StoredExample, query.limit(CHUNK_ROWS))
        while page:
            yield from page
            rest = query.where(Examples.c.position > page[-1].position)
            page = self._fetch_all(StoredExample, rest.limit(CHUNK_ROWS)) if len(page) == CHUNK_ROWS else []

    def following(self, example_id: int, count: int, before: int = 0) -> list[StoredExample]:
        """Return an example, the next `count` and the `before` last ones of its project, by position."""
        with self.reading() as db:
            return following(db, example_id, count, before)

    def _fill(self, project_id: int, examples: Iterable[NewExample], known: int | None = None) -> int:
        """Add examples at the end of a project and return their number."""
        names, added = ("split", "key", "length", "content"), 0
        for chunk in chunks(examples, CHUNK_ROWS):
            with self.writing() as db:
                mine = Examples.c.project_id == project_id
                _lock(db, project_id)
                first = db.execute(select(func.coalesce(func.max(Examples.c.position) + 1, 0)).where(mine)).scalar_one()
                if known is not None and first != known + added:
                    raise ConflictError("somebody else has added examples in the meantime; add yours again")
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
        """Delete projects that are not ready, in chunks, so that other writers can work in between."""
        with self.reading() as db:
            ids = list(db.scalars(select(Projects.c.id).where(Projects.c.ready.is_(False), *unfinished)))
        for project_id in ids:
            while self._remove_examples(project_id):
                pass
            with self.writing() as db:
                _lock(db, project_id)
                for table in reversed(metadata.sorted_tables):
                    db.execute(delete(table).where(belongs_to_project(table, project_id)))

    def _remove_examples(self, project_id: int) -> int:
        """Delete one chunk of examples with their items, comments and suggestions; return its size."""
        chunk = select(Examples.c.id).where(Examples.c.project_id == project_id).limit(CHUNK_ROWS).with_for_update()
        with self.writing() as db:
            ids = list(db.scalars(chunk))
            items = select(Items.c.id).where(Items.c.example_id.in_(ids))
            db.execute(items.with_for_update())
            db.execute(delete(Revisions).where(Revisions.c.item_id.in_(items)))
            for table in (Items, Comments, Suggestions):
                db.execute(delete(table).where(table.c.example_id.in_(ids)))
            db.execute(delete(Examples).where(Examples.c.id.in_(ids)))
        return len(ids)


def belongs_to_project(table: Table, project_id: int) -> ColumnElement[bool]:
    """Return the condition that a row of a table belongs to a project; users belong to none."""
    if table is Projects:
        return Projects.c.id == project_id
    if "project_id" in table.c:
        return table.c.project_id == project_id
    for name, owner in OWNER_TABLES.items():
        if name in table.c:
            return table.c[name].in_(select(owner.c.id).where(owner.c.project_id == project_id))
    return false()


def _lock(db: Connection, project_id: int) -> None:
    db.execute(select(Projects.c.id).where(Projects.c.id == project_id).with_for_update())


def _add_people(db: Connection, project_id: int, names: Sequence[str]) -> None:
    rows = [
        {"project_id": project_id, "name": name, "position": place} for place, name in enumerate(dict.fromkeys(names))
    ]
    if rows:
        db.execute(insert(People), rows)


def _stripped_name(given: str) -> str:
    name = given.strip()
    if not name or not name.isprintable():
        raise StoreError(f"{given!r} is not a valid project name; enter letters, on one line")
    return name
