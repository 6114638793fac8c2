from types import SimpleNamespace

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from annotate.store import Store, StoreError, migrations
from annotate.store.migrations import head, version
from annotate.store.schema import Table


def test_migrations_make_the_tables_of_the_schema(store):
    with store.writing() as db:
        context = MigrationContext.configure(db, opts={"compare_type": True})
        assert compare_metadata(context, Table.metadata) == []
        assert version(db) == head()


def test_opening_again_changes_nothing(store, url, project):
    again = Store.open(url)
    assert again.projects() == [project]
    again.close()


def test_a_database_of_a_newer_version_is_left_alone(store, url):
    with store.writing() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="a newer version of fewshot has written this database"):
        Store.open(url)


def test_a_migration_that_fails_leaves_nothing(url, monkeypatch):
    from annotate.store import migrations

    def fails(config, target):
        config.attributes["connection"].execute(text("CREATE TABLE half (id INTEGER)"))
        raise StoreError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(migrations.command, "upgrade", fails)
        with pytest.raises(StoreError, match="stopped"):
            Store.open(url)
    store = Store.open(url)
    with pytest.raises(StoreError), store.reading() as db:
        db.execute(text("SELECT * FROM half"))
    store.close()


def test_rows_of_an_older_version_fit_where_each_version_since_says_so(monkeypatch):
    """0003 has another kind of row than 0002."""
    same = {"0004": True, "0003": False, "0002": True, "0001": None}
    scripts = [SimpleNamespace(revision=name, module=SimpleNamespace(same_rows=one)) for name, one in same.items()]
    monkeypatch.setattr(migrations, "_scripts", lambda: SimpleNamespace(walk_revisions=lambda: scripts))
    assert [migrations.fits(name) for name in ("0005", "0004", "0003", "0002", "0001")] == [
        False,
        True,
        True,
        False,
        False,
    ]
