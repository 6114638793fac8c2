import gzip
import json
import stat
import tracemalloc
from shutil import copy

import pytest
import storing
from storing import made_items, made_project, pool_ids, save
from typer.testing import CliRunner

from annotate.store import Store, StoreError
from annotate.store.backup import TABLES, _put, backup, restore
from fewshot.cli import app


def rows(store):
    with store.reading() as db:
        return {
            name: [dict(row._mapping) for row in db.execute(table.select().order_by(*table.primary_key.columns))]
            for name, table in TABLES.items()
        }


@pytest.fixture
def other(tables, tmp_path):
    store = Store(f"sqlite:///{copy(tables, tmp_path / 'other.db')}")
    yield store
    store.close()


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("sqlite", "sqlite"),
        pytest.param("sqlite", "postgresql", marks=pytest.mark.app),
        pytest.param("postgresql", "sqlite", marks=pytest.mark.app),
    ],
)
def test_a_restored_database_equals_the_original_and_work_goes_on_in_it(store, fill, target, new_url, tmp_path):
    fill(store)
    store.add_user("ana", "hash", "admin")
    other = Store.open(new_url(target))
    written = backup(store, tmp_path / "all.gz")
    assert restore(tmp_path / "all.gz", other) == written
    assert rows(other) == rows(store)
    (item, *_) = other.items(1, annotator="ana")
    assert save(other, item, 1) == 1 and len(storing.history(other, item.id)) == 1  # known already
    assert save(other, item, 2) == 2 and other.latest(item.id).seq == 2
    made_items(other, made_project(other), [])
    other.add_comment(item.example_id, "pos", "ana", "again")
    before = rows(other)
    with pytest.raises(StoreError, match=r"the database is not empty; restore into a new database"):
        restore(tmp_path / "all.gz", other)
    assert rows(other) == before
    other.close()


def test_the_backup_of_a_project_holds_all_of_it_but_neither_other_projects_nor_users(store, fill, other, tmp_path):
    fill(store)
    mine = rows(store)
    store.add_user("ana", "hash", "admin")
    second = made_project(store, name="second")
    made_items(store, second, [(pool_ids(store, second)[0], "pos", "ben")])
    store.add_comment(pool_ids(store, second)[0], "pos", "ben", "not mine")
    backup(store, tmp_path / "one.gz", project_id=1)
    restore(tmp_path / "one.gz", other)
    assert rows(other) == mine


def test_a_small_file_that_unpacks_to_a_line_without_end_takes_little_memory(other, tmp_path, monkeypatch):
    monkeypatch.setattr("annotate.store.backup.MAX_LINE_CHARS", 2**18)
    with gzip.open(tmp_path / "bomb.gz", "wt") as file:
        for _ in range(40):
            file.write("x" * 2**18)
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=r"bomb\.gz: cannot restore .* \(a row has more than 262,144 ch"):
            restore(tmp_path / "bomb.gz", other)
        assert tracemalloc.get_traced_memory()[1] < 20 * 2**18
    finally:
        tracemalloc.stop()


def test_a_backup_is_one_moment_and_only_its_owner_reads_it(store, project, tmp_path, monkeypatch):
    def meanwhile(lines, value):
        if isinstance(value, list) and value[0] == "people":
            store.add_comment(1, "pos", "ana", "while the backup runs")
        _put(lines, value)

    monkeypatch.setattr("annotate.store.backup._put", meanwhile)
    backup(store, tmp_path / "all.gz")
    assert len(store.comments(1)) == 2
    assert b"while the backup runs" not in gzip.decompress((tmp_path / "all.gz").read_bytes())
    assert stat.S_IMODE((tmp_path / "all.gz").stat().st_mode) == 0o600


def test_a_backup_that_cannot_be_written_leaves_the_one_before(store, project, tmp_path, monkeypatch):
    file = tmp_path / "all.gz"
    backup(store, file)
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("annotate.store.backup._put", full)
    with pytest.raises(StoreError, match=r"all\.gz: cannot be written: No space left"):
        backup(store, file)
    assert file.read_bytes() == before and list(tmp_path.glob(".*.partial")) == []


def test_the_command_line_backs_up_and_restores(store, project, url, other, tmp_path):
    def said(code, name, file, url):
        done = CliRunner().invoke(app, [name, str(tmp_path / file), "--db", str(url)], env={"COLUMNS": "200"})
        assert done.exit_code == code
        return done.output

    assert "rows of" in said(0, "backup", "all.gz", url)
    said(0, "restore", "all.gz", other.url)
    assert rows(other) == rows(store)
    assert "the database is not empty" in said(2, "restore", "all.gz", other.url)
    assert "no such database" in said(2, "backup", "none.gz", f"sqlite:///{tmp_path}/none/fewshot.db")
    assert not (tmp_path / "none.gz").exists() and not (tmp_path / "none").exists()


def test_a_refused_restore_leaves_no_new_database(tmp_path):
    (tmp_path / "notes.gz").write_bytes(b"some notes")
    for name in ("new.db", "deep/er/new.db"):
        store = Store.open(f"sqlite:///{tmp_path / name}")
        with pytest.raises(StoreError, match="cannot restore this file"):
            restore(tmp_path / "notes.gz", store)
        store.close()
        assert [path.name for path in tmp_path.iterdir()] == ["notes.gz"]


def test_a_refused_restore_leaves_databases_that_others_made_or_filled(other, tmp_path):
    with pytest.raises(StoreError, match="No such file"):
        restore(tmp_path / "none.gz", other)
    new = Store.open(f"sqlite:///{tmp_path / 'new.db'}")
    new.add_user("ana", "hash", "admin")
    with pytest.raises(StoreError, match="No such file"):
        restore(tmp_path / "none.gz", new)
    new.close()
    assert (tmp_path / "other.db").exists() and (tmp_path / "new.db").exists()


@pytest.fixture(scope="module")
def archive(fill, tables, tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    store = Store(f"sqlite:///{copy(tables, folder / 'full.db')}")
    fill(store, size=10)
    store.add_user("ana", "hash", "admin")
    backup(store, folder / "all.gz")
    store.close()
    return (folder / "all.gz").read_bytes()


def lines_changed(change):
    def changed(data):
        lines = gzip.decompress(data).decode().split("\n")
        change(lines)
        return gzip.compress("\n".join(lines).encode())

    return changed


def row(table, **changes):
    """Return what changes the first row of a table, or puts something else in its place."""

    def change(lines):
        place = next(place for place, line in enumerate(lines) if line.startswith(f'["{table}"'))
        content = changes["row"] if "row" in changes else json.loads(lines[place])[1] | changes
        lines[place] = json.dumps([table, content])

    return lines_changed(change)


DAMAGES = [
    (lambda data: data[: len(data) // 2], ""),
    (lambda data: data[:40] + bytes(byte ^ 255 for byte in data[40:60]) + data[60:], ""),
    (lambda data: b"some notes", ""),
    (lines_changed(lambda lines: lines.pop(8)), ""),
    (lines_changed(lambda lines: lines.__delitem__(slice(-2, None))), ""),
    (lines_changed(lambda lines: lines.clear()), ""),
    (lines_changed(lambda lines: lines.__setitem__(0, '{"fewshot": "backup", "tables": "0000"}')), "(tables 0000"),
    (lines_changed(lambda lines: lines.__setitem__(3, '["pets", {"id": 1}]')), ""),
    (row("users", role="superadmin"), "'users.role' is 'superadmin'; expected one of annotator, curator, admin"),
    (row("users", active="yes"), "'users.active' is a text, not true or false"),
    (row("users", name=None), "'users.name' is null, not a text"),
    (row("users", id=True), "'users.id' is true or false, not a whole number"),
    (row("users", id=2**40), "'users.id' is too large"),
    (row("users", shell="sh"), "a row of users has unexpected columns"),
    (row("users", row=[1]), "a row of users has unexpected columns"),
    (row("users", row=None), "a row of users has unexpected columns"),
    (row("projects", labels={"pos": "NOUN"}), "'projects.labels.pos' is a text, not a list"),
    (row("projects", tasks="pos"), "'projects.tasks' is a text, not a list"),
    (row("projects", wage=float("inf")), "'projects.wage' is not a finite number"),
    (row("projects", created="yesterday"), "Invalid isoformat string"),
    (row("projects", created="0001-01-01T00:00:00+14:00"), "'projects.created' is out of range"),
    (row("examples", content=[1]), "'examples.content' is a list, not an object"),
    (row("items", status="finished"), "'items.status' is 'finished'; expected one of"),
    (row("items", purpose=[]), "'items.purpose' is a list, not a text"),
    (row("revisions", seconds="1"), "'revisions.seconds' is a text, not a number"),
    (row("revisions", created=5), ""),
    (row("jobs", state="hung"), "'jobs.state' is 'hung'; expected one of"),
]


def test_a_damaged_backup_is_refused_in_one_line_and_nothing_of_it_is_kept(archive, other, tmp_path):
    for number, (damage, reason) in enumerate(DAMAGES):
        (tmp_path / "all.gz").write_bytes(damage(archive))
        with pytest.raises(StoreError, match=r"all\.gz: (cannot restore|another version)") as caught:
            restore(tmp_path / "all.gz", other)
        assert reason in str(caught.value) and "\n" not in str(caught.value), number
        assert not any(rows(other).values()), number
