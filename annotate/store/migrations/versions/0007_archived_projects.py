"""Projects may be archived, and are deleted in seconds."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Let none of those that there are be archived, and find the revisions of a suggestion."""
    op.create_index("ix_revisions_suggestion", "revisions", ["suggestion_id"])
    op.add_column("projects", sa.Column("archived", sa.Boolean, nullable=False, server_default=sa.false()))
