import gzip
import json
import stat
import tracemalloc

import pytest
from making import result
from storing import made_items, made_project, save
from typer.testing import CliRunner

from annotate.store import LabelledFile, Predictions, Store, StoreError
from annotate.store.backup import TABLES, _put, backup, restore
from fewshot.cli import app

ENVIRONMENT = {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.app)]


def rows(store):
    """Every row of every table."""
    with store.reading() as db:
        return {
            name: [dict(row._mapping) for row in db.execute(table.select().order_by(*table.primary_key.columns))]
            for name, table in TABLES.items()
        }


@pytest.fixture
def full(store):
    """A store with rows in every table, more than are written at once in one of them."""
    examples = (("pool", f"{n}", 3, {"type": "Document", "id": f"{n}", "text": "猫\n\u2028é"}) for n in range(2500))
    project = made_project(store, examples=examples, suggester="both")
    pool = [row[0] for row in store.lengths(project.id, "pool")]
    one, two = made_items(store, project, [(pool[0], "pos", "ana"), (pool[1], "pos")])
    store.add_suggestions([(pool[0], "pos", "mini", {"confidence": [0.1 + 0.2, 1e-17]})])
    store.add_suggestions([(pool[0], "pos", "asked", {})], "llm")
    first, second = (store.suggestion(pool[0], "pos", source).id for source in ("encoder", "llm"))
    store.save(one.id, "ana", "page", 1, {"upos": ["_"]}, True, 1.25, 3, first, second)
    store.claim(two.id, "ben")
    store.add_comment(pool[0], "pos", "ana", "\u2028 is a line end")
    store.add_results(project.id, "pos", [result(0, 50.5)])
    store.add_predictions(project.id, "pos", Predictions("mini", "", "model", 10, "", {"0": {"upos": ["_"]}}, {}))
    store.set_labelled_file(project.id, "pos", LabelledFile("file", 3))
    store.accept(project.id, "pos", "a key", "ana")
    store.add_user("ana", "hash", "admin")
    store.add_job(project.id, "train", {"k": 10})
    store.claim_job("here", 1)
    assert all(rows(store).values())
    return store


@pytest.mark.parametrize("target", KINDS)
def test_what_is_restored_equals_what_was_backed_up(full, target, new_url, tmp_path):
    other = Store.open(new_url(target))
    written = backup(full, tmp_path / "all.gz")
    assert restore(tmp_path / "all.gz", other) == written
    assert rows(other) == rows(full)
    other.close()


def test_sentences_that_are_joined_are_restored(store, project, pool, tmp_path, new_url):
    first, _second = made_items(store, project, [(one, "pos", "ana") for one in pool[:2]])
    store.save(first.id, "ana", "page", 1, {"joined": 1}, True, 1.0, 1, joined=1)
    backup(store, tmp_path / "all.gz")
    other = Store.open(new_url("sqlite"))
    restore(tmp_path / "all.gz", other)
    assert rows(other) == rows(store)
    other.close()


@pytest.mark.parametrize("target", KINDS)
def test_work_goes_on_after_a_restore(full, target, new_url, tmp_path):
    other = Store.open(new_url(target))
    backup(full, tmp_path / "all.gz")
    restore(tmp_path / "all.gz", other)
    (item, *_) = other.items(1, annotator="ana")
    assert save(other, item, 1) == 1 and len(other.history(item.id)) == 1  # known already
    assert save(other, item, 2) == 2 and other.latest(item.id).seq == 2
    made_items(other, made_project(other), [])
    other.add_comment(item.example_id, "pos", "ana", "again")
    other.close()


def test_the_backup_of_a_project_holds_it_whole_and_nothing_of_others_or_of_users(full, new_url, tmp_path):
    mine = rows(full)
    made_items(full, other := made_project(full, name="other"), [(full.lengths(2, "pool")[0][0], "pos", "ben")])
    full.add_comment(full.lengths(other.id, "pool")[0][0], "pos", "ben", "not mine")
    backup(full, tmp_path / "one.gz", project_id=1)
    alone = Store.open(new_url("sqlite"))
    restore(tmp_path / "one.gz", alone)
    assert rows(alone) == mine | {"users": []}
    alone.close()


def test_nothing_is_restored_over_data(full, tmp_path):
    backup(full, tmp_path / "all.gz")
    before = rows(full)
    with pytest.raises(StoreError, match=r"there is data already; restore into a new database"):
        restore(tmp_path / "all.gz", full)
    assert rows(full) == before


def damaged(path, how):
    data = path.read_bytes()
    lines = gzip.decompress(data).decode().split("\n")
    if how == "cut":
        return data[: len(data) // 2]
    if how == "flipped":
        return data[:40] + bytes(byte ^ 255 for byte in data[40:60]) + data[60:]
    if how == "other":
        return b"some notes"
    if how == "a row less":
        del lines[5]
    if how == "no end":
        del lines[-2:]
    if how == "other version":
        lines[0] = json.dumps({"fewshot": "backup", "tables": "0000"})
    if how == "unknown table":
        lines[3] = '["pets", {"id": 1}]'
    if how == "empty":
        lines = []
    return gzip.compress("\n".join(lines).encode())


HOWS = ["cut", "flipped", "other", "a row less", "no end", "other version", "unknown table", "empty"]


@pytest.mark.parametrize("how", HOWS)
def test_a_damaged_backup_is_refused_and_nothing_is_kept_of_it(store, tmp_path, how):
    made_project(store)
    backup(store, tmp_path / "all.gz")
    (tmp_path / "all.gz").write_bytes(damaged(tmp_path / "all.gz", how))
    other = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    with pytest.raises(StoreError, match=r"all\.gz: (cannot be restored|of tables 0000)") as caught:
        restore(tmp_path / "all.gz", other)
    assert "\n" not in str(caught.value)
    assert not any(rows(other).values())


def test_a_small_file_that_unpacks_to_a_line_without_end_takes_little_memory(tmp_path):
    with gzip.open(tmp_path / "bomb.gz", "wt") as file:
        for _ in range(400):
            file.write("x" * 2**20)
    assert (tmp_path / "bomb.gz").stat().st_size < 2**20
    other = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    tracemalloc.start()
    try:
        with pytest.raises(StoreError, match=r"bomb\.gz: cannot be restored: .* \(a row has more than 134,217,728 ch"):
            restore(tmp_path / "bomb.gz", other)
        assert tracemalloc.get_traced_memory()[1] < 400_000_000
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


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=ENVIRONMENT)


def test_the_command_line_backs_up_and_restores(full, url, new_url, tmp_path):
    other = new_url("sqlite")
    done = call("backup", tmp_path / "all.gz", "--db", url)
    assert done.exit_code == 0 and "rows of" in done.output
    assert call("restore", tmp_path / "all.gz", "--db", other).exit_code == 0
    assert rows(Store.open(other)) == rows(full)
    again = call("restore", tmp_path / "all.gz", "--db", other)
    assert again.exit_code == 2 and "there is data already" in again.output


def test_the_command_line_names_a_database_that_is_not_there(tmp_path):
    done = call("backup", tmp_path / "all.gz", "--db", f"sqlite:///{tmp_path}/none/fewshot.db")
    assert done.exit_code == 2 and "no such database" in done.output
    assert list(tmp_path.iterdir()) == []


def changed(path, table, **changes):
    """Change the first row of a table in a backup; or put something else in its place."""
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    place = next(place for place, line in enumerate(lines) if line.startswith(f'["{table}"'))
    lines[place] = json.dumps([table, changes["row"] if "row" in changes else json.loads(lines[place])[1] | changes])
    path.write_bytes(gzip.compress("\n".join(lines).encode()))


WRONG = [
    ("users", {"role": "superadmin"}, "'users.role' is 'superadmin', none of annotator, curator, admin"),
    ("users", {"active": "yes"}, "'users.active' is a text, not true or false"),
    ("users", {"name": None}, "'users.name' is null, not a text"),
    ("users", {"id": True}, "'users.id' is true or false, not a whole number"),
    ("users", {"id": 2**40}, "'users.id' is too large"),
    ("users", {"shell": "sh"}, "a row of users has other columns"),
    ("users", {"row": [1]}, "a row of users has other columns"),
    ("users", {"row": None}, "a row of users has other columns"),
    ("projects", {"labels": {"pos": "NOUN"}}, "'projects.labels.pos' is a text, not a list"),
    ("projects", {"tasks": "pos"}, "'projects.tasks' is a text, not a list"),
    ("projects", {"wage": float("inf")}, "'projects.wage' is no number"),
    ("projects", {"created": "yesterday"}, "Invalid isoformat string"),
    ("examples", {"content": [1]}, "'examples.content' is a list, not an object"),
    ("items", {"status": "finished"}, "'items.status' is 'finished', none of"),
    ("items", {"purpose": []}, "'items.purpose' is a list, not a text"),
    ("revisions", {"seconds": "1"}, "'revisions.seconds' is a text, not a number"),
    ("revisions", {"created": 5}, ""),
    ("jobs", {"state": "hung"}, "'jobs.state' is 'hung', none of"),
]


@pytest.mark.parametrize(("table", "changes", "said"), WRONG, ids=str)
def test_rows_that_the_app_never_writes_are_refused(full, new_url, tmp_path, table, changes, said):
    backup(full, tmp_path / "all.gz")
    changed(tmp_path / "all.gz", table, **changes)
    other = Store.open(new_url("sqlite"))
    with pytest.raises(StoreError, match=r"all\.gz: cannot be restored") as caught:
        restore(tmp_path / "all.gz", other)
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert not any(rows(other).values())
    other.close()
