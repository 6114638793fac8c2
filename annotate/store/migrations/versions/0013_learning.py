"""A project says whether a model learns while people annotate."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add ``learns``, off in existing projects, whose suggestions may be under measurement."""
    op.add_column("projects", sa.Column("learns", sa.Boolean, nullable=False, server_default=sa.false()))
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("projects", "learns", server_default=None)
