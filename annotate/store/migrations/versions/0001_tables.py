"""The first tables."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _column(name: str, kind: Any, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=nullable)


def upgrade() -> None:
    """Make every table."""
    for make in (_projects, _examples, _jobs_and_people, _comments, _items, _revisions, _results):
        make()


def _projects() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("name", sa.Text()),
        _column("lang", sa.Text()),
        _column("tasks", sa.JSON()),
        _column("kind", sa.Text()),
        _column("labels", sa.JSON()),
        _column("sampler", sa.Text()),
        _column("k", sa.Integer()),
        _column("seed", sa.BigInteger()),
        _column("blind_share", sa.Float()),
        _column("double_share", sa.Float()),
        _column("wage", sa.Float()),
        _column("currency", sa.Text()),
        _column("guidelines", sa.Text()),
        _column("level", sa.Integer()),
        _column("source", sa.Text()),
        _column("pool_size", sa.Integer()),
        _column("test_size", sa.Integer()),
        _column("created", sa.DateTime(timezone=True)),
        _column("ready", sa.Boolean()),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("name", sa.Text()),
        _column("password_hash", sa.Text()),
        _column("role", sa.Text()),
        _column("active", sa.Boolean()),
        sa.UniqueConstraint("name"),
    )


def _examples() -> None:
    op.create_table(
        "rounds",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("project_id", sa.Integer()),
        _column("number", sa.Integer()),
        _column("purpose", sa.Text()),
        _column("sampler", sa.Text()),
        _column("k", sa.Integer()),
        _column("seed", sa.BigInteger()),
        _column("created", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.UniqueConstraint("project_id", "number"),
    )
    op.create_table(
        "examples",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("project_id", sa.Integer()),
        _column("position", sa.Integer()),
        _column("split", sa.Text()),
        _column("key", sa.Text()),
        _column("length", sa.Integer()),
        _column("content", sa.JSON()),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.UniqueConstraint("project_id", "position"),
    )
    op.create_index("ix_examples_split", "examples", ["project_id", "split", "position"], unique=False)


def _jobs_and_people() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("project_id", sa.Integer()),
        _column("kind", sa.Text()),
        _column("args", sa.JSON()),
        _column("state", sa.Text()),
        _column("progress", sa.Float()),
        _column("message", sa.Text()),
        _column("error", sa.Text(), nullable=True),
        _column("pid", sa.Integer(), nullable=True),
        _column("host", sa.Text(), nullable=True),
        _column("heartbeat", sa.DateTime(timezone=True), nullable=True),
        _column("created", sa.DateTime(timezone=True)),
        _column("started", sa.DateTime(timezone=True), nullable=True),
        _column("ended", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
    )
    op.create_index("ix_jobs_state", "jobs", ["state"], unique=False)
    op.create_table(
        "people",
        _column("project_id", sa.Integer()),
        _column("name", sa.Text()),
        _column("position", sa.Integer()),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.PrimaryKeyConstraint("project_id", "name"),
    )


def _comments() -> None:
    op.create_table(
        "comments",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("example_id", sa.Integer()),
        _column("task", sa.Text()),
        _column("author", sa.Text()),
        _column("text", sa.Text()),
        _column("created", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(["example_id"], ["examples.id"]),
    )
    op.create_index("ix_comments_example", "comments", ["example_id"], unique=False)


def _results() -> None:
    op.create_table(
        "results",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("project_id", sa.Integer()),
        _column("task", sa.Text()),
        _column("key", sa.Text()),
        _column("data", sa.JSON()),
        _column("created", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.UniqueConstraint("project_id", "task", "key"),
    )


def _items() -> None:
    op.create_table(
        "items",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("project_id", sa.Integer()),
        _column("round_id", sa.Integer()),
        _column("example_id", sa.Integer()),
        _column("task", sa.Text()),
        _column("annotator", sa.Text(), nullable=True),
        _column("purpose", sa.Text()),
        _column("position", sa.Integer()),
        _column("blind", sa.Boolean()),
        _column("status", sa.Text()),
        _column("flagged", sa.Boolean()),
        _column("taken", sa.Boolean()),
        _column("lease_holder", sa.Text(), nullable=True),
        _column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"]),
        sa.ForeignKeyConstraint(["example_id"], ["examples.id"]),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.UniqueConstraint("round_id", "position"),
        sa.UniqueConstraint("example_id", "task", "annotator", "purpose", name="one_item_a_person"),
    )
    op.create_index("ix_items_next", "items", ["project_id", "task", "status", "round_id", "position"], unique=False)


def _revisions() -> None:
    op.create_table(
        "suggestions",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("example_id", sa.Integer()),
        _column("task", sa.Text()),
        _column("model", sa.Text()),
        _column("data", sa.JSON()),
        _column("created", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(["example_id"], ["examples.id"]),
    )
    op.create_index("ix_suggestions_example", "suggestions", ["example_id", "task"], unique=False)
    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer(), primary_key=True),
        _column("item_id", sa.Integer()),
        _column("annotator", sa.Text()),
        _column("client", sa.Text()),
        _column("seq", sa.BigInteger()),
        _column("annotation", sa.JSON()),
        _column("done", sa.Boolean()),
        _column("seconds", sa.Float()),
        _column("edits", sa.Integer()),
        _column("suggestion_id", sa.Integer(), nullable=True),
        _column("created", sa.DateTime(timezone=True)),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"]),
        sa.ForeignKeyConstraint(["suggestion_id"], ["suggestions.id"]),
        sa.UniqueConstraint("item_id", "client", "seq"),
    )
