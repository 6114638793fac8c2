"""The tables. Every change here is a new file in ``migrations/versions`` as well."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, DateTime, Float, ForeignKey, Index, Text, TypeDecorator, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Moment(TypeDecorator[datetime]):
    """A time in UTC, also where the database keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Turn any zone into UTC."""
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        """Say that it is UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Table(DeclarativeBase):
    """What all tables share."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {str: Text, datetime: Moment, float: Float, dict: JSON, list: JSON}


def _key() -> Any:
    return mapped_column(primary_key=True)


def _of(column: str, **options: Any) -> Any:
    return mapped_column(ForeignKey(column), **options)


class Users(Table):
    """People who may sign in."""

    __tablename__ = "users"
    id: Mapped[int] = _key()
    name: Mapped[str] = mapped_column(unique=True)
    password_hash: Mapped[str]
    role: Mapped[str]
    active: Mapped[bool]


class Projects(Table):
    """Projects; one that is not `ready` is still being filled and nobody sees it."""

    __tablename__ = "projects"
    id: Mapped[int] = _key()
    name: Mapped[str]
    lang: Mapped[str]
    tasks: Mapped[list]
    kind: Mapped[str]
    labels: Mapped[dict]
    sampler: Mapped[str]
    k: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    blind_share: Mapped[float]
    double_share: Mapped[float]
    wage: Mapped[float]
    currency: Mapped[str]
    guidelines: Mapped[str]
    level: Mapped[int]
    source: Mapped[str]
    encoder: Mapped[str]
    pool_size: Mapped[int]
    test_size: Mapped[int]
    created: Mapped[datetime]
    ready: Mapped[bool]


class People(Table):
    """Who works on what, in the order given."""

    __tablename__ = "people"
    project_id: Mapped[int] = _of("projects.id", primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]


class Examples(Table):
    """Pool and test set; the content comes last, so that the rest is read without it."""

    __tablename__ = "examples"
    __table_args__ = (
        UniqueConstraint("project_id", "position"),
        Index("ix_examples_split", "project_id", "split", "position"),
    )
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects.id")
    position: Mapped[int]
    split: Mapped[str]
    key: Mapped[str]
    length: Mapped[int]
    content: Mapped[dict]


class Rounds(Table):
    """Draws."""

    __tablename__ = "rounds"
    __table_args__ = (UniqueConstraint("project_id", "number"),)
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects.id")
    number: Mapped[int]
    purpose: Mapped[str]
    sampler: Mapped[str]
    k: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    created: Mapped[datetime]


class Items(Table):
    """Assignments and their leases; ``purpose`` is that of the round, since a curator may review what they annotated.

    ``taken`` marks an item that was nobody's and whose annotator has saved nothing yet: when the lease is over, anybody
    may take it again.
    """

    __tablename__ = "items"
    __table_args__ = (
        UniqueConstraint("round_id", "position"),
        UniqueConstraint("example_id", "task", "annotator", "purpose", name="one_item_a_person"),
        Index("ix_items_next", "project_id", "task", "status", "round_id", "position"),
        Index("ix_items_person", "project_id", "annotator", "task"),
    )
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects.id")
    round_id: Mapped[int] = _of("rounds.id")
    example_id: Mapped[int] = _of("examples.id")
    task: Mapped[str]
    annotator: Mapped[str | None]
    purpose: Mapped[str]
    position: Mapped[int]
    blind: Mapped[bool]
    status: Mapped[str]
    flagged: Mapped[bool]
    taken: Mapped[bool]
    lease_holder: Mapped[str | None]
    lease_until: Mapped[datetime | None]


class Suggestions(Table):
    """What models propose."""

    __tablename__ = "suggestions"
    __table_args__ = (Index("ix_suggestions_example", "example_id", "task"),)
    id: Mapped[int] = _key()
    example_id: Mapped[int] = _of("examples.id")
    task: Mapped[str]
    model: Mapped[str]
    data: Mapped[dict]
    created: Mapped[datetime]


class Revisions(Table):
    """Annotations, only ever added to."""

    __tablename__ = "revisions"
    __table_args__ = (UniqueConstraint("item_id", "client", "seq"),)
    id: Mapped[int] = _key()
    item_id: Mapped[int] = _of("items.id")
    annotator: Mapped[str]
    client: Mapped[str]
    seq: Mapped[int] = mapped_column(BigInteger)
    annotation: Mapped[dict]
    done: Mapped[bool]
    seconds: Mapped[float]
    edits: Mapped[int]
    suggestion_id: Mapped[int | None] = _of("suggestions.id")
    created: Mapped[datetime]


class Comments(Table):
    """Remarks."""

    __tablename__ = "comments"
    __table_args__ = (Index("ix_comments_example", "example_id"),)
    id: Mapped[int] = _key()
    example_id: Mapped[int] = _of("examples.id")
    task: Mapped[str]
    author: Mapped[str]
    text: Mapped[str]
    created: Mapped[datetime]


class Results(Table):
    """What trainings found out; one whose key is there already is replaced."""

    __tablename__ = "results"
    __table_args__ = (UniqueConstraint("project_id", "task", "key"),)
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects.id")
    task: Mapped[str]
    key: Mapped[str]
    data: Mapped[dict]
    created: Mapped[datetime]


class Jobs(Table):
    """Work for other processes."""

    __tablename__ = "jobs"
    __table_args__ = (Index("ix_jobs_state", "state"),)
    id: Mapped[int] = _key()
    project_id: Mapped[int] = _of("projects.id")
    kind: Mapped[str]
    args: Mapped[dict]
    state: Mapped[str]
    progress: Mapped[float]
    message: Mapped[str]
    error: Mapped[str | None]
    attempts: Mapped[int] = mapped_column(default=0)
    pid: Mapped[int | None]
    host: Mapped[str | None]
    heartbeat: Mapped[datetime | None]
    created: Mapped[datetime]
    started: Mapped[datetime | None]
    ended: Mapped[datetime | None]
