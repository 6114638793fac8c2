"""Whether pool and test set are written alike."""

import random

from fewshot.corpora.types import Document, Pair, Sentence
from fewshot.corpora.writing import difference

PLAIN = ["ذهب الولد إلى المدرسة", "قرأت البنت كتابا جديدا", "شرب الرجل الماء"] * 20
VOWELLED = ["ذَهَبَ الوَلَدُ إِلَى المَدْرَسَةِ", "قَرَأَتِ البِنْتُ كِتَابًا جَدِيدًا", "شَرِبَ الرَّجُلُ المَاءَ"] * 20


def sentences(texts):
    return [Sentence("", text, tuple(text.split())) for text in texts]


def test_vowel_signs_on_one_side_alone_and_another_script_are_named():
    said = difference(sentences(VOWELLED), sentences(PLAIN))
    assert said.startswith("41% of the pool consists of characters that the test set rarely has (◌َ ◌ِ ◌ُ ◌ً ◌ْ)")
    assert difference(sentences(PLAIN), sentences(VOWELLED)).startswith("41% of the test set is of")
    cyrillic, latin = ([Document("", text)] * 50 for text in ("мала књига", "mala knjiga"))
    assert difference(cyrillic, latin).startswith("90% of the pool")
    assert difference(sentences(VOWELLED), sentences(reversed(VOWELLED))) == ""
    assert difference([Pair("", "one", "x")] * 50, [Pair("", "neon", "y")] * 50) == ""


def test_what_chance_decides_is_not():
    """Of thousands of ideographs each is rare, and most of a pool's are not in a small test set."""
    rng = random.Random(0)
    pool, test = (
        sentences("".join(chr(rng.randrange(0x4E00, 0x9FA5)) for _ in range(10)) for _ in range(100)) for _ in range(2)
    )
    assert difference(pool, test) == difference(pool, []) == difference([], []) == ""
