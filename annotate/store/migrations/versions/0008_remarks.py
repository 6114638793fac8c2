"""What looks like an error may be accepted, and comments may be about a word."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Keep what is to stay as it is, and let the comments that there are be about all of their example."""
    op.create_table(
        "accepted",
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
        sa.Column("task", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
    )
    op.add_column("comments", sa.Column("about", sa.Text, nullable=False, server_default=""))
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("comments", "about", server_default=None)
