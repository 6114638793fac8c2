"""A project says whether an entity may be inside another one."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add ``nested``, off in existing projects."""
    op.add_column("projects", sa.Column("nested", sa.Boolean, nullable=False, server_default=sa.false()))
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("projects", "nested", server_default=None)
