"""The first tables. A new database is made of `annotate.store.tables` as it is, at once of the newest version."""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Nothing comes before."""
