import sys

import pytest

from fewshot.encoders.load import load_encoder
from fewshot.errors import FewshotError
from fewshot.pretraining.romanization import MAX_RULES, MIN_COUNT, romanized, rules


@pytest.fixture
def tokenizer(encoder_folder):
    return load_encoder(str(encoder_folder)).tokenizer


LATIN = {
    "ⵜⴰⵎⴰⵣⵉⵖⵜ ⴰⵖ": "tamazight agh",
    "ꕙꔤ": "vai",
    "שלום אב": "shlvm av",
    "नमस्ते ते नम": "namaste te nama",
    "Привет мир 10": "Privet mir 10",
    "écrit": "écrit",
    "ευχαριστώ πολύ": "eycharisto polu",  # uroman alone: eucharisto, which sees the letters beside
}


def test_letters_are_read_in_latin_ones(tokenizer):
    found, plain = romanized(tokenizer, MIN_COUNT * [*LATIN]), tokenizer.backend_tokenizer.normalizer
    assert len(found) == len(tokenizer)
    for text, latin in LATIN.items():
        read = found.backend_tokenizer.normalizer.normalize_str(text)
        assert read == (plain.normalize_str(latin) if plain else latin)
        pieces = found(text.split(), is_split_into_words=True)
        assert pieces.word_ids() == tokenizer(latin.split(), is_split_into_words=True).word_ids()


def test_letters_with_signs_come_before_letters_and_signs_alone():
    found = rules(MIN_COUNT * ["क कि"] + ["ж"], {"कि": "ki", "क": "ka", "ि": "i"}.__getitem__)
    assert list(found.items()) == [("कि", "ki"), ("क", "ka"), ("ि", "i")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Latin alone, and 10.", "Latin letters alone; leave --romanize out"),
        (
            "".join(map(chr, range(0x4E00, 0x4E00 + MAX_RULES + 1))),
            "1,001 letters, with their signs, that are not Latin",
        ),
    ],
)
def test_text_that_is_not_for_it_is_refused(text, message):
    with pytest.raises(FewshotError, match=message):
        rules(MIN_COUNT * [text], str)


def test_without_uroman_it_is_said_how_to_get_it(tokenizer, monkeypatch):
    monkeypatch.setitem(sys.modules, "uroman", None)
    with pytest.raises(FewshotError, match=r"pip install 'fewshot\[romanize\]'"):
        romanized(tokenizer, MIN_COUNT * ["ж"])
