import csv
import sys

import pandas as pd
import pytest
from making import result

from fewshot.costs import prices as rates
from fewshot.curves.plots import figure
from fewshot.curves.points import curves
from fewshot.errors import FewshotError
from fewshot.reports import findings, tables


@pytest.fixture
def made():
    runs = [result(0, 30), result(10, 60, seconds=0), result(50, 70, tokens=500, seconds=0)]
    return curves([*runs, result(10, 25, "a|b_c", seconds=0)], rates.load())


def test_csv_holds_every_point_and_the_front_and_names_that_are_formulas_as_texts(made, tmp_path):
    tables.write({"=HYPERLINK(1)": made}, tmp_path / "t.csv")
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["test set"] for row in rows} == {"'=HYPERLINK(1)"}
    assert [(row["curve"], row["k"]) for row in rows] == [
        (curve.name, str(point.k)) for curve in made for point in curve.points
    ]
    first = rows[1]
    assert (first["score"], first["cost"], first["cost/point"], first["front"]) == ("60.00", "0.50", "0.017", "yes")
    assert (rows[4]["cost/point"], rows[4]["front"]) == ("", "")
    with pytest.raises(FewshotError, match=r"cannot write \.xls; give a name that ends in .*, \.parquet"):
        tables.write({"ja": made}, tmp_path / "t.xls")


def test_markdown_and_latex_hold_the_same_cells_escaped(made, tmp_path):
    for name in ("t.md", "t.tex"):
        tables.write({"ja": made}, tmp_path / name)
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[3].startswith("| ja | random | 10 | 60.00 |")
    assert "a\\|b_c" in lines[-1]
    tex = (tmp_path / "t.tex").read_text()
    assert r"& \$ & " in tex
    assert r"a|b\_c & 10 & 25.00" in tex
    assert tex.count(r"\\") == len(lines) - 1


def test_no_name_ends_a_cell_or_is_read_as_markup(made, tmp_path):
    name = "[a\\|<b>\nc"
    for file in ("t.md", "t.tex"):
        tables.write({name: made[:1]}, tmp_path / file)
    assert (tmp_path / "t.md").read_text().splitlines()[-1].startswith("| [a\\\\\\|&lt;b> c | random |")
    assert "\n{}[a\\textbackslash |<b>" in (tmp_path / "t.tex").read_text()


def test_parquet_holds_numbers_and_what_is_missing(made, tmp_path):
    tables.write({"ja": made}, tmp_path / "t.parquet")
    table = pd.read_parquet(tmp_path / "t.parquet")
    assert [*table.columns] == [*tables.COLUMNS]
    assert table["score"].tolist() == [point.score for curve in made for point in curve.points]
    assert table["cost/point"].isna().tolist()[1:] == [False, False, True, True]


def test_picture_without_kaleido_says_what_to_install(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "kaleido", None)
    monkeypatch.setattr("plotly.io._kaleido.kaleido_available", lambda: False)
    with pytest.raises(FewshotError, match=r"pip install 'kaleido>=1'"):
        tables.draw(figure(made, "accuracy"), tmp_path / "f.png")
    tables.draw(figure(made, "accuracy"), tmp_path / "f.html")
    assert "<html" in (tmp_path / "f.html").read_text()


def test_findings_name_the_curve_where_there_are_several_and_targets_with_their_price(made):
    assert all(
        line.startswith(("random: the next", "a|b_c: the next")) for line in findings.advise_on(made, "sentences")
    )
    (alone,) = findings.advise_on(made[:1], "sentences")
    assert alone.startswith("The next 50 sentences bring ")
    assert findings.describe_targets(made[:1], 20, "sentences") == ["20 is reached with zero shots"]
    (line,) = findings.describe_targets(made[:1], 75, "sentences")
    assert line.startswith("75 takes about ")
    assert line.endswith("beyond what was measured")
    best = "zero-shot (30.0 for $0.00), random k = 10 (60.0 for $0.50), random k = 50 (70.0 for $2.50)"
    assert findings.describe_front(made) == f"best score for the money: {best}"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("=1+1", "'=1+1"), ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"), ("@SUM(1)", "'@SUM(1)"), ("\t=1", "'\t=1"),
        ("\n=1", "'\n=1"), ("\uff1d1+1", "'\uff1d1+1"),
        ("-2+3", "'-2+3"), ("-2.5", "-2.5"), ("+1,000", "+1,000"), ("", ""), ("a=1", "a=1"),
    ],
)  # fmt: skip
def test_no_spreadsheet_computes_what_a_cell_holds(cell, shown):
    assert tables.escape_formula(cell) == shown
