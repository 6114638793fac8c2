"""Versions of the tables, applied when a store is opened."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from annotate.store.errors import StoreError
from annotate.store.tables import metadata

FOLDER = Path(__file__).parent
LOCK = 7064391825
"""What PostgreSQL locks while somebody migrates; any number that no one else uses."""


def head() -> str:
    """Return the newest version."""
    return str(_scripts().get_current_head())


def version(db: Connection) -> str | None:
    """Return the version of a database; None where there are no tables yet."""
    return MigrationContext.configure(db).get_current_revision()


def migrate(engine: Engine) -> None:
    """Make the tables of a new database, or bring one to the newest version; of several processes, one does it.

    All of it happens in one transaction.

    Raises:
        StoreError: when a version of this package that this one does not know has written it.
    """
    with engine.begin() as db:
        if version(db) == head():
            return
    with engine.execution_options(begin="IMMEDIATE").begin() as db:
        if db.dialect.name == "postgresql":
            db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        found = version(db)
        if found is None:
            metadata.create_all(db, checkfirst=False)  # tables of somebody else are no database of ours
            MigrationContext.configure(db).stamp(_scripts(), head())
        elif found in {script.revision for script in _scripts().walk_revisions()}:
            _upgrade(db)
        else:
            raise StoreError(
                f"another version of fewshot has written this database (tables {found}); use that, or a new database"
            )


def _upgrade(db: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = db
    command.upgrade(config, "head")


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(FOLDER))
