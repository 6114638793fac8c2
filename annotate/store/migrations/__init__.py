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
MIGRATION_LOCK_ID = 7064391825
"""Id of PostgreSQL's advisory lock on migrations; any number that nothing else uses."""


def head() -> str:
    """Return the id of the newest version of the tables, to which `migrate` upgrades."""
    return str(_scripts().get_current_head())


def version(db: Connection) -> str | None:
    """Return the id of the version of a database, or None if it has no tables."""
    return MigrationContext.configure(db).get_current_revision()


def migrate(engine: Engine) -> None:
    """Create the tables of a new database, or upgrade an old one, in one transaction; other callers wait.

    Raises:
        StoreError: when a newer version of this package has written the database.
    """
    with engine.begin() as db:
        if version(db) == head():
            return
    with engine.execution_options(begin="IMMEDIATE").begin() as db:
        if db.dialect.name == "postgresql":
            db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK_ID})
        current = version(db)
        if current is None:
            metadata.create_all(db, checkfirst=False)  # fails if another program has tables of these names
            MigrationContext.configure(db).stamp(_scripts(), head())
        elif current in {script.revision for script in _scripts().walk_revisions()}:
            _upgrade(db)
        else:
            raise StoreError(
                f"another version of fewshot wrote this database (tables {current}); use that one, or a new database"
            )


def _upgrade(db: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = db
    command.upgrade(config, "head")


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(FOLDER))
