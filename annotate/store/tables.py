"""The tables, whose first columns are the fields of the records of `annotate.store.records`.

A change of a table needs a new file in ``migrations/versions``, which upgrades existing databases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, datetime
from types import UnionType
from typing import Any, TypeVar, get_args, get_type_hints

import sqlalchemy as sa

from annotate.store.records import (
    Comment,
    Item,
    Job,
    LabelledFile,
    Predictions,
    Project,
    Revision,
    Round,
    Session,
    StoredExample,
    Suggestion,
    User,
)

A = TypeVar("A")
B = TypeVar("B")


class UtcDateTime(sa.TypeDecorator[datetime]):
    """A time in UTC, also where the database stores no time zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Convert a time of any zone to UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Return the stored time in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class NameTuple(sa.TypeDecorator[tuple[str, ...]]):
    """A tuple of strings, stored as a JSON list."""

    impl = sa.JSON
    cache_ok = True

    def process_result_value(self, value: list[str] | None, dialect: Any) -> tuple[str, ...] | None:
        """Return the stored list as a tuple."""
        return None if value is None else tuple(value)


TYPES: dict[Any, Any] = {
    str: sa.Text, int: sa.Integer, float: sa.Float, bool: sa.Boolean, datetime: UtcDateTime, tuple[str, ...]: NameTuple,
}  # fmt: skip
"""The type of a column by that of the field of a record; fields of other types are JSON."""


def _columns(record: type, **given: Any) -> list[sa.Column[Any]]:
    """Return a column for each field of a record, in their order; ``id`` is the primary key.

    Args:
        given: other types of columns, and foreign keys, by name.
    """
    columns = []
    for name, hint in get_type_hints(record).items():
        is_optional = isinstance(hint, UnionType)
        kind = given.get(name) or TYPES.get(get_args(hint)[0] if is_optional else hint, sa.JSON)
        columns.append(sa.Column(name, kind, primary_key=name == "id", nullable=is_optional))
    return columns


metadata = sa.MetaData()

Users = sa.Table(
    "users",
    metadata,
    *_columns(User),
    sa.Column("password_hash", sa.Text, nullable=False),
    sa.Column("oidc", sa.Boolean, nullable=False),
    sa.Column("issuer", sa.Text),
    sa.Column("subject", sa.Text),
    sa.UniqueConstraint("name"),
    sa.Index("ix_users_identity", "issuer", "subject", unique=True),
)
"""``oidc`` allows signing in with OpenID Connect; ``issuer`` and ``subject`` identify the user after the first sign-in.
Before that, ``subject`` is the user's e-mail address if its letter case differs from the name."""

Sessions = sa.Table(
    "sessions",
    metadata,
    *_columns(Session, user_id=sa.ForeignKey("users.id")),
    sa.Column("digest", sa.Text, nullable=False),
    sa.UniqueConstraint("digest"),
)
"""``digest`` is a hash of the browser's token, so that reading this table lets nobody sign in."""

Logins = sa.Table(
    "logins",
    metadata,
    sa.Column("digest", sa.Text, primary_key=True),
    sa.Column("expires", UtcDateTime, nullable=False),
)
"""Sign-ins with OpenID Connect that were used, kept until they expire, so that none is used twice."""

Projects = sa.Table(
    "projects",
    metadata,
    *_columns(Project, seed=sa.BigInteger),
    sa.Column("ready", sa.Boolean, nullable=False),
)
"""A project that is not ``ready`` is being created or deleted; every query leaves it out."""

People = sa.Table(
    "people",
    metadata,
    sa.Column("project_id", sa.ForeignKey("projects.id"), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),
)
"""The annotators of each project, in the order in which they were entered."""

Examples = sa.Table(
    "examples",
    metadata,
    *_columns(StoredExample, project_id=sa.ForeignKey("projects.id")),
    sa.UniqueConstraint("project_id", "position"),
    sa.Index("ix_examples_split", "project_id", "split", "position"),
)
"""The content is the last column, so that SQLite reads the others without it."""

Rounds = sa.Table(
    "rounds",
    metadata,
    *_columns(Round, project_id=sa.ForeignKey("projects.id"), seed=sa.BigInteger),
    sa.UniqueConstraint("project_id", "number"),
)

Items = sa.Table(
    "items",
    metadata,
    *_columns(Item, round_id=sa.ForeignKey("rounds.id"), example_id=sa.ForeignKey("examples.id")),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("taken", sa.Boolean, nullable=False),
    sa.Column("lease_holder", sa.Text),
    sa.Column("lease_until", UtcDateTime),
    sa.Column("opened", UtcDateTime),
    sa.UniqueConstraint("round_id", "position"),
    sa.UniqueConstraint("example_id", "task", "annotator", "purpose", name="one_item_a_person"),
    sa.Index("ix_items_next", "project_id", "task", "status", "round_id", "position"),
    sa.Index("ix_items_person", "project_id", "annotator", "task"),
)
"""``taken`` marks an item that was unassigned and whose annotator has saved nothing yet: when the lease ends, anybody
may take the item. ``opened`` is when its annotator last opened the item."""

Revisions = sa.Table(
    "revisions",
    metadata,
    *_columns(
        Revision, item_id=sa.ForeignKey("items.id"), seq=sa.BigInteger, suggestion_id=sa.ForeignKey("suggestions.id")
    ),
    sa.UniqueConstraint("item_id", "client", "seq"),
    sa.Index("ix_revisions_suggestion", "suggestion_id"),
)
"""Without the index on ``suggestion_id``, deleting a suggestion scans all revisions."""

Comments = sa.Table(
    "comments",
    metadata,
    *_columns(Comment, example_id=sa.ForeignKey("examples.id")),
    sa.Index("ix_comments_example", "example_id"),
)

Accepted = sa.Table(
    "accepted",
    metadata,
    sa.Column("project_id", sa.ForeignKey("projects.id"), primary_key=True),
    sa.Column("task", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("created", UtcDateTime, nullable=False),
)
"""Inconsistencies that were accepted as correct; `annotate.quality.consistency` describes the key."""

Suggestions = sa.Table(
    "suggestions",
    metadata,
    *_columns(Suggestion, example_id=sa.ForeignKey("examples.id")),
    sa.Index("ix_suggestions_example", "example_id", "task"),
)

Jobs = sa.Table(
    "jobs",
    metadata,
    *_columns(Job, project_id=sa.ForeignKey("projects.id")),
    sa.Index("ix_jobs_state", "state"),
)

PredictionRows = sa.Table(
    "predictions",
    metadata,
    *_columns(Predictions),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.UniqueConstraint("project_id", "task", "model"),
)

LabelledFiles = sa.Table(
    "labelled_files",
    metadata,
    *_columns(LabelledFile),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.UniqueConstraint("project_id", "task"),
)

Results = sa.Table(
    "results",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("simulated", sa.Boolean, nullable=False),
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("shot_set", sa.Integer, nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.UniqueConstraint("project_id", "task", "simulated", "run", "shot_set"),
)
"""Scores, as the JSON of `fewshot.curves.results.Result`; ``simulated``: trained on gold labels, not on annotations."""


def columns(table: sa.Table, record: type) -> tuple[sa.Column[Any], ...]:
    """Return the columns of a record's fields, in their order, so that ``Round(*row)`` works."""
    return tuple(table.c[field.name] for field in fields(record))


def pairs(rows: Iterable[sa.Row[Any]], first: type[A], second: type[B]) -> list[tuple[A, B | None]]:
    """Return the two records of each joined row; the second is None if an outer join found no row."""
    size = len(fields(first))  # type: ignore[arg-type]
    return [(first(*row[:size]), None if row[size] is None else second(*row[size:])) for row in rows]
