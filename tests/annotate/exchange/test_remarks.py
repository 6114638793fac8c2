from typer.testing import CliRunner

from annotate.exchange import remarks
from fewshot.cli import app


def test_each_comment_is_a_row_and_so_is_a_flag_without_one(store, project, ids, desk, tmp_path):
    _, flagged, _ = desk.draw((0, "pos", "ana"), (1, "dep", "ben"), (2, "pos", "ana"))
    store.flag(flagged.id, True)
    for author, text, word in (
        ("ana", "a noun?", "3 mar"), ("ana", "=1+1", "2 al"), ("eva", "yes:\tsee\nthe guidelines", ""),
    ):  # fmt: skip
        store.add_comment(ids[0], "pos", author, text, word)
    text, count = remarks.table(store, project)
    header, *rows = text.splitlines()
    assert (header.split("\t"), count) == (list(remarks.COLUMNS), 4)
    assert rows[0] == "s2\tdep\tben\t\t\t\t"
    assert rows[1].startswith("s1\tpos\t\tana\t") and rows[1].endswith("\t3 mar\ta noun?")
    assert rows[2].endswith("\t'=1+1")
    assert "\n".join(rows[3:]).endswith('\t"yes:\tsee\nthe guidelines"')
    out = tmp_path / "remarks.tsv"
    command = ["export", project.name, "--to", "remarks", "--out", str(out), "--db", str(store.engine.url)]
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 0, found.output
    assert "4 flags and comments" in found.output
    assert "a noun?" in out.read_text(encoding="utf-8")
