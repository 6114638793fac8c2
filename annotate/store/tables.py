"""The tables, whose rows `Store` returns as the records of `annotate.store.records`.

A change of a table needs a new file in ``migrations/versions``, which upgrades existing databases.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa


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


metadata = sa.MetaData()

Users = sa.Table(
    "users",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
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
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("user_id", sa.ForeignKey("users.id"), nullable=False),
    sa.Column("browser", sa.Text, nullable=False),
    sa.Column("created", UtcDateTime, nullable=False),
    sa.Column("expires", UtcDateTime, nullable=False),
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
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("lang", sa.Text, nullable=False),
    sa.Column("tasks", NameTuple, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("labels", sa.JSON, nullable=False),
    sa.Column("sampler", sa.Text, nullable=False),
    sa.Column("k", sa.Integer, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("blind_share", sa.Float, nullable=False),
    sa.Column("double_share", sa.Float, nullable=False),
    sa.Column("wage", sa.Float, nullable=False),
    sa.Column("currency", sa.Text, nullable=False),
    sa.Column("guidelines", sa.Text, nullable=False),
    sa.Column("level", sa.Integer, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("encoder", sa.Text, nullable=False),
    sa.Column("hides_gold", sa.Boolean, nullable=False),
    sa.Column("suggester", sa.Text, nullable=False),
    sa.Column("source_model", sa.Text, nullable=False),
    sa.Column("learns", sa.Boolean, nullable=False),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("pool_size", sa.Integer, nullable=False),
    sa.Column("test_size", sa.Integer, nullable=False),
    sa.Column("created", UtcDateTime, nullable=False),
    sa.Column("archived", sa.Boolean, nullable=False),
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
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("split", sa.Text, nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Column("content", sa.JSON, nullable=False),
    sa.UniqueConstraint("project_id", "position"),
    sa.Index("ix_examples_split", "project_id", "split", "position"),
)
"""The content is the last column, so that SQLite reads the others without it."""

Rounds = sa.Table(
    "rounds",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("sampler", sa.Text, nullable=False),
    sa.Column("k", sa.Integer, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("created", UtcDateTime, nullable=False),
    sa.UniqueConstraint("project_id", "number"),
)

Items = sa.Table(
    "items",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("round_id", sa.ForeignKey("rounds.id"), nullable=False),
    sa.Column("example_id", sa.ForeignKey("examples.id"), nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("annotator", sa.Text),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("blind", sa.Boolean, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("flagged", sa.Boolean, nullable=False),
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
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("item_id", sa.ForeignKey("items.id"), nullable=False),
    sa.Column("annotator", sa.Text, nullable=False),
    sa.Column("client", sa.Text, nullable=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("annotation", sa.JSON, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("edits", sa.Integer, nullable=False),
    sa.Column("suggestion_id", sa.ForeignKey("suggestions.id")),
    sa.Column("second_suggestion", sa.Integer),
    sa.Column("created", UtcDateTime, nullable=False),
    sa.UniqueConstraint("item_id", "client", "seq"),
    sa.Index("ix_revisions_suggestion", "suggestion_id"),
)
"""Without the index on ``suggestion_id``, deleting a suggestion scans all revisions."""

Comments = sa.Table(
    "comments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("example_id", sa.ForeignKey("examples.id"), nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created", UtcDateTime, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
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
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("example_id", sa.ForeignKey("examples.id"), nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Column("created", UtcDateTime, nullable=False),
    sa.Index("ix_suggestions_example", "example_id", "task"),
)

Jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("args", sa.JSON, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("progress", sa.Float, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("pid", sa.Integer),
    sa.Column("host", sa.Text),
    sa.Column("heartbeat", UtcDateTime),
    sa.Column("created", UtcDateTime, nullable=False),
    sa.Column("started", UtcDateTime),
    sa.Column("ended", UtcDateTime),
    sa.Index("ix_jobs_state", "state"),
)

PredictionRows = sa.Table(
    "predictions",
    metadata,
    sa.Column("encoder", sa.Text, nullable=False),
    sa.Column("source_model", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("k", sa.Integer, nullable=False),
    sa.Column("scored_on", sa.Text, nullable=False),
    sa.Column("predictions", sa.JSON, nullable=False),
    sa.Column("before", sa.JSON, nullable=False),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project_id", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.UniqueConstraint("project_id", "task", "model"),
)

LabelledFiles = sa.Table(
    "labelled_files",
    metadata,
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("examples", sa.Integer, nullable=False),
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
