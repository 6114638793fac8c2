import sys
from itertools import accumulate

import pytest
import regex
from corpora.drawn import chars
from hypothesis import given, reject
from hypothesis import strategies as st

from fewshot import tasks
from fewshot.corpora import formats
from fewshot.corpora.offsets import places
from fewshot.corpora.segmentation import Segmentation
from fewshot.errors import CorpusError, FewshotError

SEGMENTS = ["spaces", "words", "letters", "characters", r"re:\w+|\S", "re:."]


@pytest.mark.parametrize(
    ("segment", "line", "words"),
    [
        ("spaces", "Don't go, now!", ["Don't", "go,", "now!"]),
        ("words", "Don't go, now!", ["Don", "'", "t", "go", ",", "now", "!"]),
        ("words", "អ្នក\u200bខ្ញុំ ទីក្រុង។", ["អ្នក\u200b", "ខ្ញុំ", "ទីក្រុង", "។"]),
        ("spaces", "ab\u200bcd, e\u200b", ["ab\u200b", "cd,", "e\u200b"]),
        ("characters", "e\u0301a 👍🏽អ្ន", ["e\u0301", "a", "👍🏽", "អ្ន"]),
        (r"re:Hà Nội|\w+|\S", "ở Hà Nội.", ["ở", "Hà Nội", "."]),
    ],
)
def test_segmenters(segment, line, words):
    assert Segmentation(segment).segmenter(line) == words


@pytest.mark.parametrize("segment", SEGMENTS)
@given(line=st.text(st.one_of(chars, st.sampled_from(" \u00a0\u3000'-\u0301\u200d\u200f\u200b")), min_size=1))
def test_words_are_everything_in_the_text_but_its_spaces(segment, line):
    try:
        words = Segmentation(segment).segmenter(line)
    except FewshotError:  # the extra is missing
        reject()
    assert places(line, words) is not None
    whole = set(accumulate(len(character) for character in regex.findall(r"\X", "".join(line.split()))))
    assert whole.issuperset(accumulate(len("".join(word.split())) for word in words))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ผมกินข้าว ที่บ้าน", "ผม กิน ข้าว ที่ บ้าน"),
        ("ຂ້ອຍຢູ່ເຮືອນ", "ຂ້ອຍ ຢູ່ ເຮືອນ"),
        ("ខ្ញុំនៅផ្ទះ។", "ខ្ញុំ នៅផ្ទះ ។"),
        ("ကျွန်တော်အိမ်မှာ။", "ကျွန်တော် အိမ် မှာ ။"),
        ("在北京2008年", "在 北京 2008 年"),
        ("東京大学のTシャツ", "東京 大学 の T シャツ"),
        ("བོད་སྐད།", "བོད་ སྐད །"),
    ],
)
def test_scripts_without_spaces_are_cut_by_a_dictionary(line, words):
    pytest.importorskip("icu4py")
    assert Segmentation().segmenter(line) == words.split()


def test_without_the_dictionary_only_foreign_words_are_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    assert Segmentation().segmenter("The word 北京 is short.") == ["The", "word", "北", "京", "is", "short", "."]
    assert Segmentation("spaces").segmenter("ผม กิน ข้าว") == ["ผม", "กิน", "ข้าว"]
    with pytest.raises(FewshotError, match=r"pip install 'fewshot\[segmentation\]'.* or put spaces"):
        Segmentation().segmenter("ผมกินข้าว")


@pytest.mark.parametrize(
    ("segment", "clitics", "line", "words"),
    [
        ("words", "'r|'n", "Mae'r gath yn dda, mae'n wir.", "Mae 'r gath yn dda , mae 'n wir ."),
        ("spaces", "'r", "Mae'r gath.", "Mae 'r gath."),
        ("words", "^l['’]", "l'eau l’air mal'a", "l' eau l’ air mal ' a"),
        ("words", r"(lo|la)\b", "dámelo, lola", "dáme lo , lo la"),
        ("words", "x*", "ab", "ab"),
    ],
)
def test_clitics_are_words_of_their_own(segment, clitics, line, words):
    assert Segmentation(segment, clitics).segmenter(line) == words.split()
    assert places(line, words.split()) is not None


@pytest.mark.parametrize(
    ("lang", "line", "sentences"),
    [
        ("en", "Dr. Smith came. He left!  Why? ", ["Dr. Smith came.", "He left!", "Why?"]),
        ("hi", "यह घर है। वह गया।", ["यह घर है।", "वह गया।"]),
        ("xx", "Unknown tongue. No abbreviations.", ["Unknown tongue.", "No abbreviations."]),
    ],
)
def test_paragraphs_are_split(lang, line, sentences):
    assert Segmentation(paragraphs=True).sentences(line, lang) == sentences
    assert Segmentation().sentences(line, lang) == [line]


@given(
    line=st.text(st.one_of(chars, st.sampled_from(" .!?\"'()[]*•1aA。！।…:;"))),
    lang=st.sampled_from(["en", "he", "ja", ""]),
)
def test_nothing_but_spaces_is_lost_between_sentences(line, lang):
    found = "".join(Segmentation(paragraphs=True).sentences(line, lang))
    assert "".join(found.split()) == "".join(line.split())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("word",), "did you mean words\\?"),
        (("words", "("), "invalid regular expression"),
        (("re:.", "a"), "leaves no clitics to find; match them with it too"),
        (("re:" + "(" * 5000 + "a" + ")" * 5000,), "write a flatter one"),
    ],
    ids=["word", "clitics", "none left", "too many groups"],
)
def test_what_is_no_segmentation(given, message):
    with pytest.raises(FewshotError, match=message):
        Segmentation(*given)


@pytest.mark.parametrize("how", [{"words": r"re:(a|aa)+\d|\S"}, {"clitics": r"(a|aa)+\d"}], ids=str)
def test_an_expression_that_takes_too_long_is_named_and_nothing_is_read_on(how, upload, monkeypatch):
    monkeypatch.setattr("fewshot.corpora.segmentation.MAX_SECONDS", 0.05)
    file = upload(("a" * 60 + "!\n") * 1000, "x.txt")
    with pytest.raises(FewshotError, match=r"takes more than 0\.05 s for 'a{20}'; write a simpler") as caught:
        list(formats.stream(file, "text", "cy", tasks.get("pos"), Segmentation(**how), lambda error: None))
    assert not isinstance(caught.value, CorpusError)  # of which the next line would be read
