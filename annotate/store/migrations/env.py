"""What alembic runs: the migrations, in the transaction of the connection that it was given."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
