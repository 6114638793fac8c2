import random
from unicodedata import normalize

from fewshot.corpora.spelling import SpellingMap
from fewshot.corpora.types import Document, Pair, Sentence
from fewshot.corpora.writing import describe_difference

PLAIN = ["ذهب الولد إلى المدرسة", "قرأت البنت كتابا جديدا", "شرب الرجل الماء"] * 20
VOWELLED = ["ذَهَبَ الوَلَدُ إِلَى المَدْرَسَةِ", "قَرَأَتِ البِنْتُ كِتَابًا جَدِيدًا", "شَرِبَ الرَّجُلُ المَاءَ"] * 20


def sentences(texts):
    return [Sentence("", text, tuple(text.split())) for text in texts]


def test_vowel_signs_on_one_side_alone_and_another_script_are_named():
    said = describe_difference(sentences(VOWELLED), sentences(PLAIN))
    assert said.startswith("41% of the pool consists of characters that the test set rarely has (◌َ ◌ِ ◌ُ ◌ً ◌ْ)")
    assert describe_difference(sentences(PLAIN), sentences(VOWELLED)).startswith("41% of the test set consists of")
    cyrillic, latin = ([Document("", text)] * 50 for text in ("мала књига", "mala knjiga"))
    assert describe_difference(cyrillic, latin).startswith("90% of the pool")
    assert describe_difference(sentences(VOWELLED), sentences(reversed(VOWELLED))) == ""
    assert describe_difference(sentences(VOWELLED), sentences(PLAIN), strips=True).startswith(
        "41% of the pool and 0% of the test set are optional vowel signs, which the encoder does not read"
    )
    assert describe_difference([Pair("", "one", "x")] * 50, [Pair("", "neon", "y")] * 50) == ""


def test_what_chance_decides_is_not():
    """Of thousands of ideographs each is rare, and most of a pool's are not in a small test set."""
    rng = random.Random(0)
    pool, test = (
        sentences("".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(10)) for _ in range(100)) for _ in range(2)
    )
    assert describe_difference(pool, test) == describe_difference(pool, []) == describe_difference([], []) == ""


E_ACUTE, YYA = "e\u0301", "\u09df"
"""A letter with a separate accent; a letter of Bengali that NFC takes apart."""


def test_a_stretch_is_found_in_every_other_spelling_and_splits_no_character():
    words = ["é", "à", "Th\u00fay", YYA, "ẹ́", "x"]
    spellings = [normalize("NFC", " ".join(words)), normalize("NFD", " ".join(words)), " ".join(words)]
    spellings.append(" ".join(normalize(form, word) for form, word in zip(["NFC", "NFD"] * 3, words, strict=True)))
    assert len(set(spellings)) == len(spellings)
    for text in spellings:
        for other in spellings:
            respelling, end = SpellingMap(text, other), 0
            for word, theirs in zip(text.split(), other.split(), strict=True):
                start = text.index(word, end)
                end = start + len(word)
                assert other[slice(*respelling.span(start, end))] == theirs
    assert SpellingMap(E_ACUTE, "é").span(0, 1) == SpellingMap(E_ACUTE, "é").span(1, 2) == (0, 1)
    assert SpellingMap.fits(E_ACUTE, "é") and not SpellingMap.fits("e", "é")
