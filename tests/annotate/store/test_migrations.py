import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text
from storing import made_items, made_project, on_both

from annotate.store import LLM, Predictions, Store, StoreError, tables
from annotate.store.migrations import head, version

FIRST = "0005"
ADDED = [
    "ALTER TABLE projects DROP COLUMN nested",
    "DROP TABLE lexicon",
    "ALTER TABLE projects DROP COLUMN learns",
    "DROP TABLE logins",
    "DROP INDEX ix_users_identity",
    "ALTER TABLE users DROP COLUMN oidc",
    "ALTER TABLE users DROP COLUMN issuer",
    "ALTER TABLE users DROP COLUMN subject",
    "ALTER TABLE projects DROP COLUMN source_model",
    "ALTER TABLE predictions DROP COLUMN source_model",
    "ALTER TABLE projects DROP COLUMN suggester",
    "ALTER TABLE suggestions DROP COLUMN source",
    "ALTER TABLE revisions DROP COLUMN second_suggestion",
    "DROP TABLE sessions",
    "ALTER TABLE items DROP COLUMN opened",
    "DROP TABLE accepted",
    "ALTER TABLE comments DROP COLUMN about",
    "ALTER TABLE projects DROP COLUMN archived",
    "DROP INDEX ix_revisions_suggestion",
    "ALTER TABLE projects DROP COLUMN hides_gold",
]
"""Statements that take away what later versions have added to the tables of the first version."""


@on_both
def test_a_new_database_has_every_table_and_the_newest_version(empty_url):
    store = Store.open(empty_url)
    with store.writing() as db:
        assert compare_metadata(MigrationContext.configure(db, opts={"compare_type": True}), tables.metadata) == []
        assert version(db) == head()
    store.close()


@on_both
def test_a_database_of_the_first_version_gets_the_newest_tables_and_keeps_its_content(store, url, project, pool):
    people = [store.add_user(name, "hash") for name in ("ana", "ana@uni.edu")]
    store.add_suggestions([(pool[0], "pos", "m", {"annotation": {}})])
    predictions = Predictions(project.encoder, "", "model", 10, "", {}, {})
    store.add_predictions(project.id, "pos", predictions)
    (item,) = made_items(store, project, [(pool[0], "pos", "ana")])
    suggestion = store.suggestion(pool[0], "pos")
    store.save(item.id, "ana", "page", 1, {"upos": ["X"]}, True, 1.0, 1, suggestion.id)
    revision = store.latest(item.id)
    with store.writing() as db:
        for statement in [*ADDED, f"UPDATE alembic_version SET version_num = '{FIRST}'"]:
            db.execute(text(statement))
    upgraded = Store.open(url)
    with upgraded.writing() as db:
        assert compare_metadata(MigrationContext.configure(db), tables.metadata) == []
    assert upgraded.users() == people
    assert [upgraded.link_identity(one.name, "issuer", one.name) for one in people] == [None, people[1]]
    assert upgraded.projects() == [project]
    assert (project.hides_gold, project.archived) == (True, False)
    assert (project.suggester, project.source_model, project.learns) == ("encoder", "", False)
    assert (upgraded.suggestion(pool[0], "pos"), upgraded.latest(item.id)) == (suggestion, revision)
    assert upgraded.suggestion(pool[0], "pos", LLM) is None
    assert upgraded.newest_predictions(project.id, "pos", project.encoder, "") == predictions
    assert upgraded.update_project(project.id, archived=True).archived
    assert made_project(upgraded, hides_gold=False).hides_gold is False
    upgraded.close()


@on_both
def test_a_database_of_a_newer_version_or_with_tables_of_another_program_is_refused(store, url, project):
    again = Store.open(url)
    assert again.projects() == [project], "opening again changes nothing"
    again.close()
    with store.writing() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="another version of fewshot wrote this database"):
        Store.open(url)
    with store.writing() as db:
        db.execute(text("DROP TABLE alembic_version"))
    with pytest.raises(StoreError, match="users"):
        Store.open(url)


@on_both
def test_a_migration_that_fails_leaves_nothing(empty_url, monkeypatch):
    def fail(db, **options):
        db.execute(text("CREATE TABLE half (id INTEGER)"))
        raise StoreError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(tables.metadata, "create_all", fail)
        with pytest.raises(StoreError, match="stopped"):
            Store.open(empty_url)
    store = Store.open(empty_url)
    with pytest.raises(StoreError), store.reading() as db:
        db.execute(text("SELECT * FROM half"))
    store.close()
