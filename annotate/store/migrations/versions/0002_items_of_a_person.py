"""The items of one person are found without reading everybody's."""

from alembic import op

revision = "0002"
down_revision = "0001"
same_rows = True  # an index changes no row


def upgrade() -> None:
    """Add the index."""
    op.create_index("ix_items_person", "items", ["project_id", "annotator", "task"])
