"""A project says whose models train, suggest and draw."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
same_rows = True  # the new column has a default


def upgrade() -> None:
    """Add the column."""
    op.add_column("projects", sa.Column("encoder", sa.Text(), nullable=False, server_default="mini"))
