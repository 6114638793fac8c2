import json

import numpy as np
import pandas as pd
import pytest

from fewshot import tasks
from fewshot.papers.sources import ALWAYS_ENGLISH, ANY, interval, ranking_quality
from fewshot.source_choice.ranking import EXPECTED, NEIGHBOURS, PIECES, SIMILARITY

LANGS = ("de", "en", "ja", "sv")


@pytest.fixture
def call(measured, data):
    """``fewshot analyze sources`` on four treebanks, and a fifth that is test alone."""
    (data / "fi_made" / "train.conllu").unlink()
    return lambda **options: measured("sources", **{"source": None, "langs": None, **options})


def test_every_source_is_scored_on_every_other_language(call, tmp_path):
    result = call(ends=0)
    cells = [json.loads(line) for line in (tmp_path / "out" / "cells.jsonl").read_text().splitlines()]
    assert [cell["source"] for cell in cells] == list(LANGS)
    pairs = {(cell["source"], row["target"]) for cell in cells for row in cell["rows"]}
    assert pairs == {(source, target) for source in LANGS for target in (*LANGS, "fi") if source != target}
    table = pd.read_csv(tmp_path / "out" / "table.csv")
    assert set(zip(table.source, table.target, strict=True)) == pairs
    by_target = table.groupby("target")[NEIGHBOURS].sum()
    assert by_target.tolist() == pytest.approx([100] * 5)
    assert "Targets: 5. The order of sources by lang2vec and that by their scores correlate at " in result.output
    assert "any source loses" in result.output and ALWAYS_ENGLISH not in result.output  # it is a target too
    assert "neighbours %" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_a_criterion_is_judged_by_the_scores_of_its_sources():
    lines = [("x", "en", 80, 3, 1), ("x", "de", 60, 2, 1), ("x", "ja", 40, 1, 1)]
    lines += [("y", "en", 50, 1, 9), ("y", "de", 70, 3, np.nan), ("y", "ja", 60, 2, 5)]
    table = pd.DataFrame(lines, columns=["target", "source", "score", EXPECTED, NEIGHBOURS])
    table[SIMILARITY] = table[PIECES] = np.nan
    found = ranking_quality(table)
    assert list(found) == [EXPECTED, NEIGHBOURS, ANY, ALWAYS_ENGLISH]
    assert found[EXPECTED].correlations == pytest.approx([1, 1]) and found[EXPECTED].losses == [0, 0]
    assert found[NEIGHBOURS].correlations == pytest.approx([0, -1])  # one says the same of all, the other is wrong
    assert found[NEIGHBOURS].losses == [20, 20]  # of equal ones the mean; the first one of y is en
    assert found[ANY].losses == [20, 10] and found[ALWAYS_ENGLISH].losses == [0, 20]
    assert interval([20, 20]) == "20.00 [20.00, 20.00]"


def test_unknown_languages_are_ranked_by_texts_and_none_is_scored_on_itself_by_another_code(call, tmp_path):
    (tmp_path / "data" / "fi_made").rename(tmp_path / "data" / "qfn_made")
    result = call(source="de,eng,ja,swe", langs="qfn,sv,jpn,xx")
    assert result.exit_code == 0 and "English always loses" in result.output, result.output
    assert "warning: no pos examples in xx" in result.output and tasks.get("pos").title in result.output
    rows = pd.read_csv(tmp_path / "out" / "table.csv")
    assert set(rows.source) == set(LANGS) and set(rows.target) == {"qfn", "sv", "ja"}
    assert (rows.source != rows.target).all()
    table = rows.set_index("target")
    assert table.loc["qfn", SIMILARITY].isna().all() and table.loc["sv", SIMILARITY].notna().all()
    assert table.loc["qfn", PIECES].notna().all()
