"""A project has lexicons that people have imported."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the table of their entries."""
    op.create_table(
        "lexicon",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("source", "key", "form", "lemma", "upos", "feats")),
        sa.Column("gloss", sa.Text, nullable=False),
    )
    op.create_index("ix_lexicon_key", "lexicon", ["project_id", "key"])
