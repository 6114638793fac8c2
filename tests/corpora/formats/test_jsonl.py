import json
from dataclasses import replace

import pytest

from fewshot.corpora.formats import jsonl
from fewshot.corpora.types import Document, Pair, Sentence


def span(start, end, label="PER"):
    return {"start": start, "end": end, "label": label}


ANA, BO = span(0, 3), span(8, 10)


def written(path, *rows):
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) if isinstance(row, dict) else row for row in rows))
    return path


def test_what_is_missing_is_filled_in(tmp_path):
    rows = [{"text": "Anna, 東京"}, {"id": 7, "words": ["a", "b"], "heads": [2, 0], "deprels": ["det", "root"]}]
    assert jsonl.read(written(tmp_path / "x.jsonl", rows[0], "", rows[1])) == [
        Sentence("x-1", "Anna, 東京", ("Anna", ",", "東", "京")),
        Sentence("7", "a b", ("a", "b"), heads=(2, 0), deprels=("det", "root")),
    ]


def test_entities_are_tags_or_stretches_of_the_text_in_characters(tmp_path):
    spans = [{"start": 2, "end": 12, "label": "PER"}, {"start": 13, "end": 17, "label": "LOC"}]
    path = written(
        tmp_path / "x.jsonl",
        {"text": "😀 Anna Smith Oslo", "entities": spans},
        {"words": ["a", "b"], "entities": ["O", "B-LOC"]},
        {"text": "none", "entities": []},
    )
    assert [s.entities for s in jsonl.read(path)] == [("O", "B-PER", "I-PER", "B-LOC"), ("O", "B-LOC"), ("O",)]


@pytest.mark.parametrize(
    ("old", "tags", "new"),
    [
        ([ANA | {"kb": "Q1"}], ("B-PER", "O", "B-PER"), [ANA | {"kb": "Q1"}, BO]),
        ([ANA | {"end": 4, "kb": "Q1"}], ("B-PER", "O", "B-PER"), [ANA | {"end": 4, "kb": "Q1"}, BO]),
        ([ANA | {"kb": "Q1"}], ("B-LOC", "O", "O"), [ANA | {"label": "LOC"}]),
        ([], ("O", "O", "B-PER"), [BO]),
    ],
)
def test_stretches_stay_so_with_their_further_keys_where_others_change(tmp_path, old, tags, new):
    path = written(tmp_path / "x.jsonl", {"text": "Ana saw Bo", "entities": old})
    jsonl.write([one.annotated(entities=tags) for one in jsonl.read(path)], path, ["entities"])
    assert json.loads(path.read_text()) == {"text": "Ana saw Bo", "entities": new}


@pytest.mark.parametrize(
    ("row", "new"),
    [
        ({"words": ["Ana", "saw", "Bo"], "entities": [ANA]}, [ANA, BO]),
        ({"words": ["Ana", "saw", "Bo"], "entities": []}, ["B-PER", "O", "B-PER"]),
        ({"text": "😀 Ana Bo", "entities": [span(3, 6) | {"text": "Ana"}]},
         [span(0, 1), span(2, 5) | {"text": "Ana"}, span(6, 8)]),
    ],
    ids=["no text", "no text and no entity", "counted in UTF-16"],
)  # fmt: skip
def test_entities_are_written_as_those_of_the_line_and_counted_in_characters(tmp_path, row, new):
    path = written(tmp_path / "x.jsonl", row)
    tags = ("B-PER", "O", "B-PER") if "words" in row else ("B-PER",) * 3
    jsonl.write([one.annotated(entities=tags) for one in jsonl.read(path)], path, ["entities"])
    assert json.loads(path.read_text())["entities"] == new


def test_what_was_rejected_is_accepted_where_somebody_annotates_it(tmp_path):
    path = written(tmp_path / "x.jsonl", row := {"text": "a", "label": "x", "answer": "reject"})
    for label, expected in (("_", row), ("x", row | {"answer": "accept"})):
        jsonl.write([replace(one, label=label) for one in jsonl.read(path)], path, ["label"])
        assert json.loads(path.read_text()) == expected


def test_the_kind_is_told_or_follows_from_the_keys(tmp_path):
    assert jsonl.read(written(tmp_path / "a.jsonl", {"premise": "a", "hypothesis": "b"})) == [Pair("a-1", "a", "b")]
    path = written(tmp_path / "b.jsonl", {"text": "a b", "label": ""})
    assert jsonl.read(path) == [Document("b-1", "a b")]
    assert jsonl.read(path, "sentences") == [Sentence("b-1", "a b", ("a", "b"))]
