import json

import pytest
from making import examples

from fewshot.corpora.formats import jsonl
from fewshot.corpora.load import load
from fewshot.corpora.types import Document, Pair, Sentence
from fewshot.errors import CorpusError


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


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", "not valid JSON"),
        ("[1]", "a JSON object is expected on this line"),
        ("1" * 5000, "not JSON of this kind"),
        ("[" * 100_000, "not JSON of this kind"),
        ({"text": " "}, "empty text"),
        ({"text": "\ud83d a"}, "text holds half a character"),
        ({"words": []}, "a text 'text' is missing"),
        ({"words": ["a", ""]}, "words: '' (number 2) is no word or label"),
        ({"words": ["a\tb"]}, "words: 'a\\tb' (number 1) is no word or label"),
        ({"words": ["a"], "upos": ["X", "X"]}, "2 upos for 1 words"),
        ({"words": ["a"], "heads": [2]}, "head 2 is no word of this sentence (0-1"),
        ({"words": ["a"], "heads": [True]}, "head True is no word"),
        ({"words": ["a"], "heads": "0"}, "a list 'heads' is missing"),
        ({"words": ["a"], "entities": ["PER"]}, "'PER' is no entity tag"),
        ({"text": "ab c", "entities": [{"start": 1, "end": 2, "label": "X"}]}, "X at 1-2 begins or ends inside a word"),
        ({"text": "ab c", "entities": [{"start": 3, "end": 9, "label": "X"}]}, "X at 3-9 begins or ends inside a word"),
        ({"text": "ab", "entities": [{"start": 0, "end": 2, "label": "X"}] * 2}, "X at 0-2 overlaps another entity"),
        ({"text": "ab", "entities": [{"start": 0, "label": "X"}]}, "a number 'end' is missing"),
        ({"text": "al", "words": ["a", "el"], "entities": []}, "the words do not stand in the text"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_lines_are_reported_and_the_others_read(tmp_path, row, message):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a"}\n' + (json.dumps(row) if isinstance(row, dict) else row) + '\n\n{"text": "b"}\n')
    errors = []
    assert [s.id for s in jsonl.read(path, report=errors.append)] == ["x-1", "x-4"]
    (error,) = errors
    assert error.where == f"{path}:2"
    assert error.message.startswith(message)
    with pytest.raises(CorpusError) as caught:
        jsonl.read(path)
    assert str(caught.value) == str(error)


@pytest.mark.parametrize("kind", ["sentences", "documents"])
def test_a_folder_of_json_lines_is_a_corpus(tmp_path, kind):
    for seed, name in enumerate(("pool", "test")):
        jsonl.write(examples(kind, 6, seed, shortest=5), tmp_path / f"{name}.jsonl", ["upos"])
    assert len(load("es", tmp_path, kind).test) == 6


def test_empty_file(tmp_path):
    with pytest.raises(CorpusError, match="no example in this file"):
        jsonl.read(written(tmp_path / "x.jsonl", ""))
