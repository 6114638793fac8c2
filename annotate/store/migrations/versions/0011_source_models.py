"""A project says which source model of its encoder is continued."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Let all that there is continue the newest, as it did."""
    for table in ("projects", "predictions"):
        op.add_column(table, sa.Column("source_model", sa.Text, nullable=False, server_default=""))
        if op.get_bind().dialect.name == "postgresql":
            op.alter_column(table, "source_model", server_default=None)
