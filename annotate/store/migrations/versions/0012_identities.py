"""OpenID Connect names people by issuer and subject, and each sign-in is used once."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Let those sign in with OpenID Connect who could: everybody whose name is an e-mail address.

    Letters count from now on: for who has others at the provider, see `annotate.store.users.UserStore.allow_oidc`.
    """
    op.create_table(
        "logins",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
    )
    op.add_column("users", sa.Column("oidc", sa.Boolean, nullable=False, server_default=sa.false()))
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("users", "oidc", server_default=None)
    for name in ("issuer", "subject"):
        op.add_column("users", sa.Column(name, sa.Text))
    op.create_index("ix_users_identity", "users", ["issuer", "subject"], unique=True)
    users = sa.table("users", sa.column("name", sa.Text), sa.column("oidc", sa.Boolean))
    op.execute(users.update().where(users.c.name.contains("@")).values(oidc=True))
