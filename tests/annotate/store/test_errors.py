import os
import sqlite3
import stat
from shutil import copy

import pytest
import storing
from sqlalchemy import text
from storing import contents, fill_up, made_items, made_project, on_both, save

from annotate.store import Store, StoreError, private_files
from annotate.worker import queue


@pytest.fixture
def item(store, project, pool):
    return made_items(store, project, [(pool[0], "pos", "ana")])[0]


@on_both
def test_a_locked_database_and_a_contradiction_are_one_line_and_it_keeps_what_it_has(store, url, item):
    hasty = Store(url, lock_timeout=0.2)
    save(hasty, item, 1)
    with store.writing() as db:
        db.execute(text("UPDATE items SET flagged = true"))
        with pytest.raises(StoreError, match=r"locked by another program; nothing was saved: wait a moment"):
            save(hasty, item, 2)
        assert hasty.latest(item.id).seq == 1  # readers do not wait
    assert save(hasty, item, 2) == 2
    hasty.close()
    with pytest.raises(StoreError, match="contradicts the stored data") as caught:
        store.add_comment(99, "pos", "ana", "no such example")
    assert "\n" not in str(caught.value)


def test_a_number_that_the_database_cannot_hold_is_one_line(store, project, pool):
    for _ in range(2):
        with pytest.raises(StoreError, match="a number is too large for the database"):
            made_project(store, seed=2**64)
    assert store.projects() == [project]


@on_both
def test_a_full_disk_says_so_and_keeps_what_it_has(store, item):
    save(store, item, 1)
    empty = fill_up(store)
    with pytest.raises(StoreError, match=r"disk of the database is full; nothing was saved: free some space"):
        save(store, item, 2, note="x" * 100_000)
    assert [revision.seq for revision in storing.history(store, item.id)] == [1]
    empty()
    with store.writing() as db:
        if store.is_sqlite:
            db.exec_driver_sql("PRAGMA max_page_count = 1000000")
    assert save(store, item, 2) == 2


def test_a_project_that_does_not_fit_on_the_disk_leaves_nothing(store, project):
    fill_up(store)
    with pytest.raises(StoreError, match="disk of the database is full"):
        made_project(store, examples=contents(pool=20_000))
    assert store.projects() == [project] and next(store.examples(project.id + 1), None) is None


def test_what_cannot_be_a_database_is_named_without_a_password(tables, tmp_path, monkeypatch):
    monkeypatch.delenv("FEWSHOT_DB_URL", raising=False)
    (tmp_path / "notes.db").write_text("not a database, but some notes of mine " * 50)
    file = copy(tables, tmp_path / "damaged.db")
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = file.read_bytes()
    file.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    for url, reason in {
        "sqlite:///{}/notes.db": r"notes\.db: this file is not a SQLite database",
        "sqlite:///{}/notes.db/fewshot.db": "cannot create this folder",
        "sqlite:///{}/damaged.db": "damaged",
        "sqlite:///{}": "cannot be opened",
        "postgresql://ana:secret@/fewshot?host={}": "cannot connect to the database",
        "postgresql://ana@/fewshot?host={}&password=secret": "cannot connect to the database",
    }.items():
        with pytest.raises(StoreError, match=reason) as caught:
            Store.open(url.format(tmp_path))
        assert "secret" not in str(caught.value)
    for name, reason in (("a\0.db", "not a valid file name"), ("a" * 5000, "cannot use this file: File name too long")):
        with pytest.raises(StoreError, match=reason):
            Store.open(f"sqlite:///{tmp_path}/{name}")
    others = (
        "mysql://host/name",
        "sqlite+pysqlcipher:///a.db",
        "postgresql://host:port/name",
        "postgresql://[::1/name",
    )
    for url in ("", "fewshot.db", "sqlite://", *others):
        with pytest.raises(StoreError, match="write sqlite:///FILE or postgresql://"):
            Store(url)


def test_a_folder_that_may_not_be_read_is_named_with_the_reason(tmp_path, monkeypatch):
    def refused(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(private_files.Path, "exists", refused)
    with pytest.raises(StoreError, match="cannot use this file: Permission denied; choose another one"):
        private_files.create(tmp_path / "fewshot.db")


@pytest.mark.app
def test_a_missing_database_of_a_server_is_named(postgres):
    with pytest.raises(StoreError, match="no such database"):
        Store.open(postgres.format(name="nowhere"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_the_default_is_a_file_of_this_user_alone_or_what_the_environment_says(tmp_path, monkeypatch):
    def opened():
        store = Store.open()
        store.close()
        return store.place

    def mode(folder):
        return stat.S_IMODE(folder.stat().st_mode)

    mine = tmp_path / "data" / "fewshot"
    monkeypatch.delenv("FEWSHOT_DB_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert (opened(), mode(mine)) == (str(mine / "fewshot.db"), 0o700)
    mine.chmod(0o755)
    assert queue.folder().parent == mine
    assert (mode(mine), mode(mine / "jobs")) == (0o700, 0o700), "whoever made it"
    mine.chmod(0o755)
    assert (opened(), mode(mine)) == (str(mine / "fewshot.db"), 0o700)
    monkeypatch.setenv("FEWSHOT_DB_URL", f"sqlite:///{tmp_path}/mine.db")
    assert opened() == str(tmp_path / "mine.db")


def test_sqlite_keeps_a_log_and_checks_references(url):
    store = Store(url)
    with store.reading() as db:
        found = {name: db.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")}
        found |= {name: db.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("busy_timeout", "foreign_keys")}
    store.close()
    assert found == {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 30_000, "foreign_keys": 1}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_a_new_database_and_its_log_are_its_owners_alone(tmp_path):
    file = tmp_path / "new.db"
    store = Store.open(f"sqlite:///{file}")
    made_project(store)
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {
        "new.db": 0o600, "new.db-wal": 0o600, "new.db-shm": 0o600,
    }  # fmt: skip
    store.close()
    for before, after in ((0o660, 0o660), (0o664, 0o660), (0o644, 0o600), (0o640, 0o600)):  # the first: of a group
        file.chmod(before)
        Store.open(f"sqlite:///{file}").close()
        assert stat.S_IMODE(file.stat().st_mode) == after
