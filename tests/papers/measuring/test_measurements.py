"""Measurements are made once, in order, whatever stops them."""

import pandas as pd
import pytest

from fewshot.errors import FewshotError
from fewshot.papers.measuring.measurements import CELLS, TABLE, Cell, fill
from fewshot.progress import Progress


def cells(made, langs="abc", identity=1):
    def measure(lang):
        made.append(lang)
        if lang == "stop":
            raise KeyboardInterrupt
        return [{"layer": layer, "score": layer / 2} for layer in (0, 1)]

    return [Cell({"lang": lang}, identity, lambda lang=lang: measure(lang)) for lang in langs]


def test_a_row_for_each_figure_of_each_cell_in_order(tmp_path):
    said, made = [], []
    table = fill(cells(made), tmp_path, said.append)
    assert table.columns.tolist() == ["lang", "layer", "score"]
    assert table.lang.tolist() == list("aabbcc") and table.score.tolist() == [0, 0.5] * 3
    assert said == [Progress(done, 3, f"lang {lang}") for done, lang in enumerate("abc")]
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / TABLE), table)


def test_what_was_stopped_goes_on_and_repeats_nothing(tmp_path):
    made = []
    with pytest.raises(KeyboardInterrupt):
        fill(cells(made, ["a", "b", "stop"]), tmp_path, lambda line: None)
    with (tmp_path / CELLS).open("a") as file:
        file.write('{"cell": "cut o')
    table = fill(cells(made, "cba"), tmp_path, lambda line: None)
    assert made == ["a", "b", "stop", "c"]
    assert table.lang.tolist() == list("ccbbaa")


def test_another_identity_is_measured_anew(tmp_path):
    made = []
    for identity in (1, 2, 1):
        fill(cells(made, "a", identity), tmp_path, lambda line: None)
    assert made == ["a", "a"]


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / CELLS).write_text('{"cell": "x"}\n')
    with pytest.raises(FewshotError, match=r"cells.jsonl:1: no measurement of fewshot: 'rows' is missing; remove"):
        fill(cells([]), tmp_path, lambda line: None)
