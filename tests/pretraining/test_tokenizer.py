import subprocess
import sys

import pytest

from fewshot.pretraining import tokenizer

TIES = "import random; from fewshot.pretraining.tokenizer import train; random.seed(0); "
TIES += "words = [''.join(random.choices('abcdefghij', k=6)) for _ in range(300)]; "
TIES += "pieces = train([' '.join(words)] * 5, 150); print(pieces.backend_tokenizer.to_str())"


@pytest.mark.app
def test_same_sentences_same_vocabulary():
    runs = {subprocess.run([sys.executable, "-c", TIES], capture_output=True, check=True).stdout for _ in range(2)}
    assert len(runs) == 1


def test_pieces_of_words_are_no_special_ones():
    pieces = tokenizer.train(["the dogs run", "犬が走る"] * 20, 60)
    assert {str(piece) for piece in pieces.added_tokens_decoder.values()} == set(tokenizer.SPECIALS)
    assert pieces.decode(pieces("the dogs run")["input_ids"], skip_special_tokens=True) == "the dogs run"
    assert sorted(pieces.get_vocab().values()) == list(range(len(pieces)))


def test_characters_of_rare_words_are_left_out(monkeypatch):
    monkeypatch.setattr(tokenizer, "MAX_LETTERS", 3)
    pieces = tokenizer.train(["abc abc abd"] * 10, 60)
    assert {piece.removeprefix("##")[0] for piece in pieces.get_vocab()} == set("abc[")
    assert pieces.tokenize("abd") == ["[UNK]"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("wordpiece", ["the", "dogs", "犬", "が"]),
        ("unigram", None),
        ("character", list("thedogs犬が")),
        ("word", ["the", "dogs", "犬", "が"]),
    ],
)
def test_kinds_of_vocabularies(kind, expected, tmp_path):
    pieces = tokenizer.train(["the dogs run", "犬が走る"] * 20, 60, kind)
    found = pieces.tokenize("the dogs犬が")
    assert "".join(found).replace("##", "") == "thedogs犬が"
    assert expected is None or found == expected
    pieces.save_pretrained(tmp_path)
    loaded = tokenizer.PreTrainedTokenizerFast.from_pretrained(tmp_path)
    assert loaded("the zebras")["input_ids"] == pieces("the zebras")["input_ids"]


def test_optional_signs_of_arabic_and_hebrew_make_no_difference():
    pieces = tokenizer.train(["والأرض كانت خالية", "וְהָאָרֶץ הָיְתָה"], 100)
    assert pieces.tokenize("وَالأَرضُ") == pieces.tokenize("والارض")
    assert pieces.tokenize("והארץ") == pieces.tokenize("וְהָאָ֗רֶץ")
    assert "[UNK]" not in pieces.tokenize("والارض והארץ")


def test_a_script_of_many_characters_does_not_fill_the_vocabulary():
    ideographs = [chr(0x4E00 + number) for number in range(3000)]
    assert len(tokenizer.train([*ideographs, "water " * 9, "wasser " * 9], 400)) <= 400
