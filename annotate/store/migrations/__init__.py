"""Versions of the tables, applied when a store is opened."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from annotate.store.errors import StoreError

FOLDER = Path(__file__).parent
LOCK = 7064391825
"""What PostgreSQL locks while somebody migrates; any number that no one else uses."""


def head() -> str:
    """Return the newest version."""
    return str(_scripts().get_current_head())


def version(db: Connection) -> str | None:
    """Return the version of a database; None where there are no tables yet."""
    return MigrationContext.configure(db).get_current_revision()


def fits(found: str) -> bool:
    """Return whether rows of an older version are rows of the newest one: the versions after it say ``same_rows``."""
    for script in _scripts().walk_revisions():
        if script.revision == found:
            return True
        if not getattr(script.module, "same_rows", False):
            return False
    return False


def migrate(engine: Engine) -> None:
    """Bring a database to the newest version in one transaction; of several processes, one does it.

    Raises:
        StoreError: when a newer version of this package has written it.
    """
    with engine.begin() as db:
        if version(db) == head():
            return
    with engine.execution_options(begin="IMMEDIATE").begin() as db:
        if db.dialect.name == "postgresql":
            db.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        found = version(db)
        if found is not None and found not in {script.revision for script in _scripts().walk_revisions()}:
            raise StoreError(f"a newer version of fewshot has written this database (tables {found}); upgrade fewshot")
        config = Config()
        config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
        config.attributes["connection"] = db
        command.upgrade(config, "head")


def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(FOLDER))
