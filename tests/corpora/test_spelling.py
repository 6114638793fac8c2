"""Places of a text in another spelling of it."""

from unicodedata import normalize

from fewshot.corpora.spelling import Respelling

E_ACUTE, YYA = "e\u0301", "\u09df"
"""A letter with a separate accent; a letter of Bengali that NFC takes apart."""


def test_a_stretch_is_found_in_every_other_spelling_and_splits_no_character():
    words = ["é", "à", "Th\u00fay", YYA, "ẹ́", "x"]
    spellings = [normalize("NFC", " ".join(words)), normalize("NFD", " ".join(words)), " ".join(words)]
    spellings.append(" ".join(normalize(form, word) for form, word in zip(["NFC", "NFD"] * 3, words, strict=True)))
    assert len(set(spellings)) == len(spellings)
    for text in spellings:
        for other in spellings:
            respelling, end = Respelling(text, other), 0
            for word, theirs in zip(text.split(), other.split(), strict=True):
                start = text.index(word, end)
                end = start + len(word)
                assert other[slice(*respelling.span(start, end))] == theirs
    assert Respelling(E_ACUTE, "é").span(0, 1) == Respelling(E_ACUTE, "é").span(1, 2) == (0, 1)
    assert Respelling.fits(E_ACUTE, "é") and not Respelling.fits("e", "é")
