"""Projects say whether the labels of their file are gold that is hidden, as they all were before."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column."""
    op.add_column("projects", sa.Column("hides_gold", sa.Boolean, nullable=False, server_default=sa.true()))
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("projects", "hides_gold", server_default=None)
