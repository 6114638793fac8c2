from unicodedata import normalize

import pytest
from making import made_up

from fewshot.corpora.pool import pool, split
from fewshot.corpora.types import Article, Document, Pair, Paragraph, Sentence
from fewshot.errors import FewshotError


def sentence(text):
    return Sentence(text, text, tuple(text.split()))


def test_pool_filters_length_test_and_repetitions():
    test = [sentence("a b c")]
    candidates = [sentence(t) for t in ("a b", "a b c", "a b d", "a b d", "a b c d e", "x y z")]
    kept, count = pool(candidates, test, shortest=3, longest=4)
    assert [s.text for s in kept] == ["a b d", "x y z"]
    assert (count.kept, count.wrong_length, count.in_test, count.repeated) == (2, 2, 1, 1)
    candidates = [sentence(" ".join("w" * n)) for n in (2, 3, 50, 51)]
    assert [s.length for s in pool(candidates, [])[0]] == [3, 50]
    with pytest.raises(FewshotError, match="of 2 sentences 1 are not of 3-50 tokens, 1 are in the test set"):
        pool([sentence("a b"), sentence("a b c")], [sentence("a b c")])


def test_composed_and_separate_accents_are_one_text():
    made = (sentence, lambda text: Document(text, text), lambda text: Pair(text, text, "x"))
    for one in (*made, lambda text: Article(text, (Paragraph(text, ()),))):
        composed, separate = (one(normalize(form, "été à Thúy .")) for form in ("NFC", "NFD"))
        assert composed != separate
        assert pool([composed, separate, one("a b c d")], [])[1].repeated == 1
        assert pool([composed, one("a b c d")], [separate])[1].in_test == 1


def test_split_is_disjoint_complete_and_seeded():
    examples = made_up(100, seed=0) + made_up(20, seed=0, name="again")
    candidates, test = split(examples, 0.3, seed=4)
    assert {s.key for s in candidates}.isdisjoint({s.key for s in test})
    assert sorted(s.id for s in [*candidates, *test]) == sorted(s.id for s in examples)
    assert split(examples, 0.3, seed=4) == (candidates, test)
    assert split(examples, 0.3, seed=5) != (candidates, test)
    assert 0.2 < len(test) / len(examples) < 0.45
    with pytest.raises(FewshotError, match="cannot split"):
        split([sentence("a b c")] * 5, 0.5, seed=0)


def test_a_premise_or_paragraph_of_the_test_set_is_not_in_the_pool():
    pairs = [Pair(f"{n}-{h}", f"premise {n}", f"hypothesis {h}") for n in range(20) for h in range(3)]
    candidates, test = split(pairs, 0.5, seed=0)
    assert len(candidates) + len(test) == 60
    assert {pair.premise for pair in candidates}.isdisjoint(pair.premise for pair in test)
    _, count = pool([Pair("x", test[0].premise, "another hypothesis"), *candidates], test)
    assert (count.kept, count.in_test) == (len(candidates), 1)
    first, second, third = (Paragraph(f"Paragraph {n}.", ()) for n in range(3))
    kept, count = pool([Article("both", (first, second)), Article("own", (third,))], [Article("test", (first,))])
    assert [article.id for article in kept] == ["own"] and count.in_test == 1
