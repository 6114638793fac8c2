from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fewshot.corpora.words import spans, words

JOINER, NON_JOINER, SPACE, MARK = "\u200d", "\u200c", "\u200b", "\u200f"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's 3.5% of U.S. trade.", ["It", "'", "s", "3", ".", "5", "%", "of", "U", ".", "S", ".", "trade", "."]),
        ("cafe\u0301s", ["cafe\u0301s"]),  # a combining accent
        ("भारत में क्षेत्रफल 1947।", ["भारत", "में", "क्षेत्रफल", "1947", "।"]),
        ("العَرَبِيَّة، ١٩", ["العَرَبِيَّة", "،", "١٩"]),  # short vowels, Arabic comma and digits
        ("北京在2008年，OK", ["北", "京", "在", "2008", "年", "，", "OK"]),
        ("東京タワー", list("東京タワー")),
        ("ที่นี่ 5", ["ที่", "นี่", "5"]),  # vowel and tone marks stay with their consonant,
        ("กำแพงมา ๒๕", ["กำ", "แพ", "ง", "มา", "๒๕"]),  # and so do vowels that are letters of their own
        ("ខ្ញុំអ្នក", ["ខ្ញុំ", "អ្ន", "ក"]),  # a subscript with the letter that it stands below
        ("မြန်မာသတ္တ", ["မြန်", "မာ", "သ", "တ္တ"]),
        ("བོད་སྐད།", ["བོད་", "སྐད", "།"]),
        ("👍🏽 👩\u200d🚀🇩🇪🇫🇷!", ["👍🏽", "👩\u200d🚀", "🇩🇪", "🇫🇷", "!"]),
        ("❤\ufe0f", ["❤\ufe0f"]),
        (" \t\n\u3000", []),
    ],
)
def test_words_of_scripts(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"می{NON_JOINER}روم", [f"می{NON_JOINER}روم"]),
        (f"क्{JOINER}ष", [f"क्{JOINER}ष"]),
        (f"{MARK}שלום{MARK} a", ["שלום", "a"]),  # direction marks around a word are no part of it
        ("\ufeffab", ["ab"]),
        ("so\u00adlid", ["so\u00adlid"]),  # soft hyphen
        (f"ab{SPACE}cd", ["ab", "cd"]),
        (f"👩{JOINER} 👧", ["👩", "👧"]),
        ("\u0301 a", ["\u0301", "a"]),  # a mark without a letter is a word
    ],
    ids=["Persian", "Hindi", "Hebrew", "byte order mark", "soft hyphen", "zero-width space", "emoji", "mark"],
)
def test_invisible_characters_belong_to_a_word_between_its_letters(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"អ្នក{SPACE}ខ្ញុំ ទីក្រុង។ 5", ["អ្នក", "ខ្ញុំ", "ទីក្រុង", "។", "5"]),
        (f"မြန်မာ{SPACE}ဘာသာ", ["မြန်မာ", "ဘာသာ"]),
        (f"กา{SPACE}" + "มา" * 8, ["กา", *["มา"] * 8]),  # one in a text marks no words
    ],
    ids=["Khmer", "Burmese", "stray"],
)
def test_zero_width_spaces_mark_words_where_a_text_has_enough_of_them(text, expected):
    assert words(text) == expected


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(f"aक्षंแี北ខ្មန်བ་👍🏽🇩 .{JOINER}{SPACE}{MARK}\u0301"))))
def test_spans_are_ordered_and_leave_out_only_what_cannot_be_seen(text):
    found = spans(text)
    assert all(start < end for start, end in found)
    assert all(end <= start for (_, end), (start, _) in pairwise(found))
    inside = {place for start, end in found for place in range(start, end)}
    assert not any(char.isprintable() and not char.isspace() for p, char in enumerate(text) if p not in inside)
