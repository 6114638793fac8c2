"""The first tables, as `annotate.store.tables` states them; 0001 to 0004 were of no release."""

revision = "0005"
down_revision = None


def upgrade() -> None:
    """Nothing comes before."""
