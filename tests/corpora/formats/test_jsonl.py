import json

from fewshot.corpora.formats import jsonl
from fewshot.corpora.types import Document, Pair, Sentence


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


def test_the_kind_is_told_or_follows_from_the_keys(tmp_path):
    assert jsonl.read(written(tmp_path / "a.jsonl", {"premise": "a", "hypothesis": "b"})) == [Pair("a-1", "a", "b")]
    path = written(tmp_path / "b.jsonl", {"text": "a b", "label": ""})
    assert jsonl.read(path) == [Document("b-1", "a b")]
    assert jsonl.read(path, "sentences") == [Sentence("b-1", "a b", ("a", "b"))]
