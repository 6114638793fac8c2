from functools import partial
from pathlib import Path

import pandas as pd
import pytest
import torch

from fewshot.errors import FewshotError
from fewshot.experiments.executors.place import this_machine, this_process
from fewshot.papers.measurements import CELLS, TABLE, Measurement, StudyRun, fill
from fewshot.progress import Progress


def run(folder, report=str, place=None):
    return StudyRun(place or this_process(torch.device("cpu")), folder, report, pytest.fail)


def cells(made, langs="abc", identity=1):
    def measure(lang, device):
        made.append(lang)
        if lang == "stop":
            raise KeyboardInterrupt
        return [{"layer": layer, "score": layer / 2} for layer in (0, 1)]

    return [Measurement({"lang": lang}, identity, partial(measure, lang)) for lang in langs]


def test_a_row_for_each_figure_of_each_cell_in_order(tmp_path):
    said, made = [], []
    table = fill(cells(made), run(tmp_path, said.append))
    assert table.columns.tolist() == ["lang", "layer", "score"]
    assert table.lang.tolist() == list("aabbcc") and table.score.tolist() == [0, 0.5] * 3
    turns = [(done, f"lang {lang}") for done, lang in enumerate("abc")]
    assert said == [Progress(done + over, 3, doing) for done, doing in turns for over in (0, 1)]
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / TABLE), table)


def test_what_was_stopped_goes_on_and_repeats_nothing(tmp_path):
    made = []
    with pytest.raises(KeyboardInterrupt):
        fill(cells(made, ["a", "b", "stop"]), run(tmp_path))
    with (tmp_path / CELLS).open("a") as file:
        file.write('{"cell": "cut o')
    table = fill(cells(made, "cba"), run(tmp_path))
    assert made == ["a", "b", "stop", "c"]
    assert table.lang.tolist() == list("ccbbaa")


def slowly(folder, lang, device):
    (Path(folder) / lang).touch(exist_ok=False)
    return [{"score": ord(lang), "threads": torch.get_num_threads()}]


@pytest.mark.system
def test_processes_measure_what_one_does_and_each_once(tmp_path):
    def wanted(folder):
        (tmp_path / folder).mkdir()
        return [Measurement({"lang": lang}, 1, partial(slowly, tmp_path / folder, lang)) for lang in "cabd"]

    alone = fill(wanted("alone"), run(tmp_path / "1"))
    said = []
    both = fill(wanted("both"), run(tmp_path / "2", said.append, this_machine("cpu", jobs=2)))
    assert both.lang.tolist() == alone.lang.tolist() and both.score.tolist() == alone.score.tolist()
    assert set(both.threads) == {1}
    assert said[-1].done == said[-1].total == 4 and said[-1].kept == 0


def test_another_identity_is_measured_anew(tmp_path):
    made = []
    for identity in (1, 2, 1):
        fill(cells(made, "a", identity), run(tmp_path))
    assert made == ["a", "a"]


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / CELLS).write_text('{"cell": "x", "rows": [3]}\n')
    wrong = r"'rows\[0\]' is a whole number, not an object; remove"
    with pytest.raises(FewshotError, match=rf"cells\.jsonl:1: no measurement of fewshot: {wrong}"):
        fill(cells([]), run(tmp_path))
