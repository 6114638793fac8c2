import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, text
from storing import made_items, made_project

from annotate.store import LLM, NewItem, Predictions, Store, StoreError, migrations
from annotate.store.migrations import head, version
from annotate.store.tables import metadata


def without_source_models(db):
    """Take away what version 0011 has added."""
    for table in ("projects", "predictions"):
        db.execute(text(f"ALTER TABLE {table} DROP COLUMN source_model"))


def without_suggesters(db):
    """Take away what version 0010 has added, and what came later."""
    without_source_models(db)
    for table, column in (("projects", "suggester"), ("suggestions", "source"), ("revisions", "second_suggestion")):
        db.execute(text(f"ALTER TABLE {table} DROP COLUMN {column}"))


def test_a_new_database_has_every_table_and_the_newest_version(store):
    with store.writing() as db:
        context = MigrationContext.configure(db, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert version(db) == head()


def test_opening_again_changes_nothing(store, url, project):
    again = Store.open(url)
    assert again.projects() == [project]
    again.close()


def test_a_database_of_another_version_is_left_alone(store, url):
    with store.writing() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="another version of fewshot has written this database"):
        Store.open(url)


def test_tables_of_somebody_else_are_not_taken_for_ours(url):
    engine = create_engine(url)
    with engine.begin() as db:
        db.execute(text("CREATE TABLE users (x INTEGER)"))
    engine.dispose()
    with pytest.raises(StoreError, match="users"):
        Store.open(url)


def test_projects_of_a_database_from_before_archiving_are_not_archived(store, url, project):
    (script,) = (one for one in migrations._scripts().walk_revisions() if one.revision == "0007")
    with store.writing() as db:
        without_suggesters(db)
        db.execute(text("DROP TABLE sessions"))
        db.execute(text("ALTER TABLE items DROP COLUMN opened"))
        db.execute(text("DROP TABLE accepted"))
        db.execute(text("ALTER TABLE comments DROP COLUMN about"))
        db.execute(text("ALTER TABLE projects DROP COLUMN archived"))
        db.execute(text("DROP INDEX ix_revisions_suggestion"))
        db.execute(text("UPDATE alembic_version SET version_num = :before"), {"before": script.down_revision})
    again = Store.open(url)
    with again.writing() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    assert again.projects() == [project]
    assert again.update_project(project.id, archived=True).archived
    again.close()


def test_a_migration_that_fails_leaves_nothing(url, monkeypatch):
    def fails(db, **options):
        db.execute(text("CREATE TABLE half (id INTEGER)"))
        raise StoreError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(metadata, "create_all", fails)
        with pytest.raises(StoreError, match="stopped"):
            Store.open(url)
    store = Store.open(url)
    with pytest.raises(StoreError), store.reading() as db:
        db.execute(text("SELECT * FROM half"))
    store.close()


def test_a_revision_changes_the_tables_that_there_are(store, url, monkeypatch, tmp_path):
    versions = tmp_path / "versions"
    versions.mkdir()
    for file in (migrations.FOLDER / "versions").glob("*.py"):
        (versions / file.name).write_text(file.read_text())
    (tmp_path / "env.py").write_text((migrations.FOLDER / "env.py").read_text())
    (versions / "next.py").write_text(
        f"from alembic import op\nrevision, down_revision = 'next', {head()!r}\n"
        "def upgrade():\n    op.execute('CREATE TABLE pets (name TEXT)')\n"
    )
    project = made_project(store)
    monkeypatch.setattr(migrations, "FOLDER", tmp_path)
    later = Store.open(url)
    with later.reading() as db:
        assert version(db) == "next" and db.execute(text("SELECT * FROM pets")).all() == []
    assert later.projects() == [project]
    later.close()


def test_a_database_of_before_hides_the_labels_of_its_files_as_it_did(store, url, project):
    with store.writing() as db:
        without_suggesters(db)
        db.execute(text("ALTER TABLE projects DROP COLUMN hides_gold"))
        db.execute(text("DROP TABLE sessions"))
        db.execute(text("ALTER TABLE items DROP COLUMN opened"))
        db.execute(text("DROP TABLE accepted"))
        db.execute(text("ALTER TABLE comments DROP COLUMN about"))
        db.execute(text("ALTER TABLE projects DROP COLUMN archived"))
        db.execute(text("DROP INDEX ix_revisions_suggestion"))
        db.execute(text("UPDATE alembic_version SET version_num = '0005'"))
    later = Store.open(url)
    assert later.projects() == [project]
    assert later.project(project.id).hides_gold is True
    assert made_project(later, hides_gold=False).hides_gold is False
    later.close()


def test_what_a_database_of_before_suggested_came_from_encoders(store, url, project, ids):
    store.add_suggestions([(ids[0], "pos", "m", {"annotation": {}})])
    (item, _) = made_items(store, project, [NewItem(one, "pos", "ana", False) for one in ids[:2]])
    store.save(item.id, "ana", "page", 1, {"upos": ["X"]}, True, 1.0, 1, store.suggestion(ids[0], "pos").id)
    before = store.suggestion(ids[0], "pos"), store.latest(item.id)
    with store.writing() as db:
        without_suggesters(db)
        db.execute(text("UPDATE alembic_version SET version_num = '0009'"))
    later = Store.open(url)
    with later.writing() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    assert later.projects() == [project]
    assert project.suggester == "encoder"
    assert (later.suggestion(ids[0], "pos"), later.latest(item.id)) == before
    assert later.suggestion(ids[0], "pos", LLM) is None
    later.close()


def test_projects_of_a_database_of_before_continue_the_newest_source_model(store, url, project):
    said = Predictions(project.encoder, "", "model", 10, "", {}, {})
    store.add_predictions(project.id, "pos", said)
    with store.writing() as db:
        without_source_models(db)
        db.execute(text("UPDATE alembic_version SET version_num = '0010'"))
    later = Store.open(url)
    with later.writing() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    assert later.projects() == [project]
    assert later.newest_predictions(project.id, "pos", project.encoder, "") == said
    later.close()
