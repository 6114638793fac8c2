"""The script that sends files through projects finds losses, and loses nothing of the sample in any format."""

import json
import runpy
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.load import load

round_trips = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("round_trips.py"))))

KINDS = {"ner": "sentences", "topic": "documents", "nli": "pairs", "qa": "articles", "dep": "sentences"}
FORMATS = {name: task for task in KINDS for name in formats.list_export_formats([tasks.get(task)])}
"""A task of each format; texts of linguists are in test_lossless.py."""


def test_every_format_makes_a_trip_of_the_sample_or_of_its_own_texts():
    written = {name for name, format_ in formats.FORMATS.items() if format_.write}
    assert FORMATS.keys() | {"flextext", "sfm", "eaf"} == written


@pytest.mark.parametrize(("format", "task"), [*FORMATS.items(), ("conllu", "ner"), ("tsv", "topic")])
def test_the_sample_makes_its_round_trip(tmp_path, format, task):
    path = tmp_path / f"sample{formats.FORMATS[format].suffix}"
    formats.export(list(load("sw", "sample", KINDS[task]).pool)[:9], [tasks.get(task)], format, path)
    (tmp_path / "trip").mkdir()
    of_trees = format in formats.list_export_formats(
        [tasks.get("dep")]
    )  # a file of it may have tags, trees and entities
    ambiguous = KINDS[task] == "sentences" and of_trees and (task, format) != ("dep", "conllu")
    trip = round_trips.round_trip(path, tmp_path / "trip", names=(task,) if ambiguous else None)
    assert trip.lost == []
    assert trip.annotated == -(-trip.read // 3)
    assert trip.differ


def test_lost_columns_and_keys_are_named(tmp_path):
    one, other = tmp_path / "one.conllu", tmp_path / "other.conllu"
    line = "1\tDama\tdama\tAUX1\t_\tMood=Ind\t0\troot\t_\t_"
    one.write_text(f"# text = Dama\n{line}\n\n")
    other.write_text(f"# text = dama\n{line.replace('Mood=Ind', '_').replace('AUX1', 'X')}\n")
    assert Counter(round_trips.differences(one, other, "conllu")) == {"UPOS": 1, "FEATS": 1, "lines": 2}
    for path, note in ((tmp_path / "a.json", 1), (tmp_path / "b.json", 2)):
        path.write_text(json.dumps({"data": [{"note": note, "qas": [{"answers": [note]}]}]}))
    assert set(round_trips.differences(tmp_path / "a.json", tmp_path / "b.json", "squad")) == {"note", "answers"}


def test_an_example_that_is_not_as_it_was_is_named():
    before = list(load("sw", "sample", "sentences").pool)[:2]
    after = [one.annotated(upos=("X",) * one.length) for one in before]
    tags = {"upos": ["X"] * before[0].length}
    (line,) = round_trips.wrong(before, after, ("pos",), {before[0].id: tags})
    assert line.endswith(f"{before[1].id} is not as it was before")
    assert round_trips.wrong(before, after[:1], ("pos",), {}) == ["2 examples went in, 1 came out, or with other ids"]
