"""Flags and comments leave the app as a table."""

from storing import made_items
from typer.testing import CliRunner

from annotate.exchange import remarks
from fewshot.cli import app


def test_each_comment_is_a_row_and_so_is_a_flag_without_one(store, project, ids):
    items = made_items(store, project, [(ids[0], "pos", "ana"), (ids[1], "dep", "ben"), (ids[2], "pos", "ana")])
    store.flag(items[1].id, True)
    store.add_comment(ids[0], "pos", "ana", "a noun?", "3 mar")
    store.add_comment(ids[0], "pos", "ana", "=1+1", "2 al")
    store.add_comment(ids[0], "pos", "eva", "yes:\tsee\nthe guidelines")
    text, count = remarks.table(store, project)
    header, *rows = text.splitlines()
    assert header.split("\t") == list(remarks.COLUMNS)
    assert count == 4
    assert rows[0] == "s2\tdep\tben\t\t\t\t"
    assert rows[1].startswith("s1\tpos\t\tana\t") and rows[1].endswith("\t3 mar\ta noun?")
    assert rows[2].endswith("\t'=1+1")
    assert "\n".join(rows[3:]).endswith('\t"yes:\tsee\nthe guidelines"')


def test_the_command_writes_it(store, project, ids, tmp_path):
    store.add_comment(ids[0], "pos", "ana", "a noun?")
    made_items(store, project, [(ids[0], "pos", "ana")])
    out = tmp_path / "remarks.tsv"
    database = str(store.engine.url)
    found = CliRunner().invoke(app, ["export", project.name, "--to", "remarks", "--out", str(out), "--db", database])
    assert found.exit_code == 0, found.output
    assert "1 flags and comments" in found.output
    assert "a noun?" in out.read_text(encoding="utf-8")
