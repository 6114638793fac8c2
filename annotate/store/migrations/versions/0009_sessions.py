"""Browsers are known by sessions of their own, and items say since when somebody has them open."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Know no browser: who is signed in by a token of before signs in once more."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("browser", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.UniqueConstraint("digest"),
    )
    op.add_column("items", sa.Column("opened", sa.DateTime(timezone=True)))
