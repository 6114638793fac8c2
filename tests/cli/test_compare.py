import csv
import json
import re
import shutil

import pytest
from cli.calls import call, run


def test_compare_writes_tables_figures_and_the_price_of_a_target(done, tmp_path):
    table, figure = tmp_path / "t.csv", tmp_path / "f.html"
    result = call("compare", done[1], "--out", tmp_path, "--target", "99", "--table", table, "--figure", figure, ends=0)
    assert "best score for the money: zero-shot (" in result.output
    assert re.search(r"99 (takes about|is out of reach)", result.output)
    assert table.read_text().startswith("test set,curve,k,score,")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "What it amounts to" in page and "<title>POS tagging: xx</title>" in page
    refused = call("compare", done[1], "--out", tmp_path, "--table", tmp_path / "t.xls", ends=2)
    assert "give a name that ends in .csv, .md, .tex" in refused.output


def test_scores_on_different_test_sets_share_no_front(done, tmp_path):
    other, table = tmp_path / "other", tmp_path / "t.csv"
    shutil.copytree(done[1], other)
    plan = json.loads((other / "plan.json").read_text(encoding="utf-8"))
    plan["identity"]["data"] += "0"
    (other / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    result = call("compare", done[1], other, "--out", tmp_path, "--table", table, ends=0)
    assert result.output.count("score for the money: ") == 2
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert list(dict.fromkeys(row["test set"] for row in rows)) == ["xx, test set of one", "xx, test set of other"]
    assert [row["front"] for row in rows[: len(rows) // 2]] == [row["front"] for row in rows[len(rows) // 2 :]]
    assert len(re.findall(r"^\w+ zero-shot +0 ", result.output, re.MULTILINE)) == 2
    together = call("compare", done[1], shutil.copytree(done[1], tmp_path / "copy"), "--out", tmp_path)
    assert together.output.count("score for the money: ") == 1, "one test set, wherever the runs are"


def test_a_zero_shot_score_that_does_not_compare_is_named(done, tmp_path):
    old = shutil.copytree(done[1], tmp_path / "old")
    rows = [json.loads(line) for line in (old / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = (json.dumps({name: value for name, value in row.items() if name != "known_only"}) for row in rows)
    (old / "results.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    result = call("compare", old, "--out", tmp_path, ends=0)
    score = f"{rows[0]['score']:.1f}"
    said = f"{old / 'results.jsonl'}: an earlier version may have scored zero-shot on known labels only ({score})"
    assert said in result.output and not re.search(r"^zero-shot +0 ", result.output, re.MULTILINE)


def test_brackets_in_names_are_printed_as_they_are(place, tmp_path):
    name = "[red]x[/b]"
    result = run(place, tmp_path / name, "--k", "0", ends=0)
    assert f"Out   {tmp_path / name}" in result.output
    assert f"{tmp_path / name}/report.html" in result.output
    compared = call("compare", tmp_path / name, "--out", tmp_path / f"{name}y")
    assert str(tmp_path / f"{name}y" / "report.html") in compared.output
    missing = call("data", "check", tmp_path / f"{name}.conllu")
    assert f"error: {tmp_path / name}.conllu: no such file" in missing.output


def test_a_run_that_is_named_twice_is_shown_once(done, tmp_path, monkeypatch):
    monkeypatch.chdir(done[1].parent)
    result = call("compare", done[1], done[1].name, "--out", tmp_path, ends=0)
    assert "learning curves of 1 runs" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert len(re.findall(r"^zero-shot +0 ", result.output, re.MULTILINE)) == 1


def test_runs_of_one_name_are_told_apart_by_their_folders(done, tmp_path):
    for name in ("x", "y"):
        shutil.copytree(done[1], tmp_path / name / "run")
    result = call("compare", tmp_path / "x" / "run", tmp_path / "y" / "run", "--out", tmp_path / "both")
    assert all(f"{tmp_path}/{name}/run random" in result.output for name in ("x", "y"))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("{}", "holds no run (results.jsonl and plan.json)"),
        ("[]", "plan.json: this is a list, not an object; delete it"),
    ],
)
def test_what_cannot_be_compared_is_refused(done, tmp_path, plan, message):
    (tmp_path / "results.jsonl").write_bytes((done[1] / "results.jsonl").read_bytes())
    (tmp_path / "plan.json").write_text(plan)
    result = call("compare", tmp_path, ends=2)
    assert message in result.output
