"""A job counts its workers, so that one that kills them is not taken up for ever."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
same_rows = True  # the new column has a default


def upgrade() -> None:
    """Add the column."""
    op.add_column("jobs", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))
