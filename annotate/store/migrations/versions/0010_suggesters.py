"""Suggestions come from encoders, from language models, or from both."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Let all that there is be of encoders, as it was."""
    for table, name in (("projects", "suggester"), ("suggestions", "source")):
        op.add_column(table, sa.Column(name, sa.Text, nullable=False, server_default="encoder"))
        if op.get_bind().dialect.name == "postgresql":
            op.alter_column(table, name, server_default=None)
    op.add_column("revisions", sa.Column("second_suggestion", sa.Integer))
