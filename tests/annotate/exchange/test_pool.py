from collections import Counter
from dataclasses import replace
from weakref import WeakSet

import pytest
import storing
from making import examples, made_up

from annotate.editing import content
from annotate.exchange import pool
from fewshot.corpora.types import Document, Pair, Sentence
from fewshot.errors import FewshotError

WORDS = [tuple(f"w{number}-{place}" for place in range(length)) for number, length in enumerate([2, 3, 50, 51, 4])]
SENTENCES = [Sentence(f"s{number}", " ".join(words), words) for number, words in enumerate(WORDS)]


def intake(found, test=0, seed=0, shortest=None, longest=None):
    return pool.intake(found, test, seed, shortest, longest)


@pytest.mark.parametrize(
    ("found", "limits", "kept"),
    [
        (SENTENCES, {}, {1, 2, 4}),
        (SENTENCES, {"shortest": 4, "longest": 51}, {2, 3, 4}),
        (SENTENCES, {"shortest": 0}, {0, 1, 2, 4}),
        (SENTENCES, {"longest": 3}, {1}),
        ([Document("a", "one"), Document("b", "many " * 100)], {}, {0, 1}),
    ],
)
def test_sentences_of_three_to_fifty_words_or_within_own_limits_may_be_drawn(found, limits, kept):
    taken = intake(found, **limits)
    assert (taken.pool, taken.count.wrong_length) == (kept, len(found) - len(kept))


def test_everything_is_taken_beside_the_test_set():
    found = [*SENTENCES, SENTENCES[1]]
    taken = pool.intake(found, 1, 0, None, None, everything=True)
    assert len(taken.test) == 1 and taken.pool == set(range(6)) - taken.test
    assert pool.left_out(taken) == ""
    assert pool.left_out(intake(found)) == (
        "; not drawn: 1 repeated, 2 with fewer than 3 or more than 50 words; see the page Sentences"
    )


def test_of_equal_texts_the_first_is_kept_whatever_its_annotation():
    first, second = made_up(2, seed=1)
    taken = intake([first, second, replace(first, id="again", upos=()), second])
    assert (taken.pool, taken.count.repeated) == ({0, 1}, 2)
    other_words = [Sentence("a", "a b c d", ("a b", "c", "d")), Sentence("b", "a b c d", ("a", "b c", "d"))]
    assert intake(other_words).pool == {0, 1}


def test_the_test_set_is_drawn_at_random_and_lies_outside_the_pool():
    found = made_up(100, seed=1, shortest=8)
    taken = intake(found, test=20)
    assert (len(taken.test), len(taken.pool)) == (20, 80)
    assert taken.test.isdisjoint(taken.pool)
    assert intake(found, test=20).test == taken.test != intake(found, test=20, seed=1).test
    drawn = Counter(place for seed in range(200) for place in intake(found[:10], test=2, seed=seed).test)
    assert set(drawn) == set(range(10))
    assert all(20 <= times <= 60 for times in drawn.values())  # 40 expected, 6 is a standard deviation
    assert {place for seed in range(20) for place in intake(SENTENCES, test=2, seed=seed).test} == {1, 2, 4}


def test_a_test_set_may_be_given():
    found, other = made_up(10, seed=1, shortest=8), made_up(5, seed=2, shortest=8, name="t")
    given = [*other, found[3], replace(other[0], id="again"), SENTENCES[0]]
    taken = intake(found, test=iter(given))
    assert (taken.test, taken.pool) == (set(range(6)), set(range(10)) - {3})
    assert taken.count.in_test == 1
    rows = list(pool.rows(lambda: found, taken, lambda: given))
    assert [row[1] for row in rows if row[0] == "test"] == [one.id for one in given[:6]]
    assert [row[1] for row in rows if row[0] == "pool"] == [one.id for one in found if one is not found[3]]
    with pytest.raises(FewshotError, match=r"^nothing to test on: of 1 examples .* none are of 3-50 tok"):
        intake(made_up(3, seed=1), test=[SENTENCES[0]])


@pytest.mark.parametrize("kind", ["sentences", "pairs", "documents", "articles"])
def test_no_text_of_the_test_set_is_in_the_pool(kind):
    found = examples(kind, 60, seed=1, shortest=3, longest=4)
    if kind == "pairs":  # few premises, each with several hypotheses
        found = [replace(one, premise=f"talo {number % 20}") for number, one in enumerate(found)]
    taken = intake(found, test=6)
    texts = {part for place in taken.test for part in found[place].parts}
    assert texts.isdisjoint(part for place in taken.pool for part in found[place].parts)
    count = taken.count
    assert len(taken.pool) + len(taken.test) + count.wrong_length + count.repeated + count.in_test == 60
    assert (len(taken.test), taken.count.in_test) == (6, 0)  # pairs of one premise are tested on together


@pytest.mark.parametrize(
    ("found", "test", "reason"),
    [
        ([], 0, "there is no example; give some text$"),
        ([SENTENCES[0]] * 3, 0, "of 3 examples 1 are not of 3-50 tokens and 2 are repeated; give more text, or .*$"),
        ([Pair("a", "x", "y")], [Pair("c", "x", "w")], "of 1 examples 1 are kept for the test set; give more text$"),
    ],
)
def test_where_nothing_is_left_the_reason_is_one_line(found, test, reason):
    with pytest.raises(FewshotError, match=f"^nothing to annotate: .*{reason}") as refused:
        intake(found, test)
    assert "\n" not in str(refused.value)


def test_rows_are_all_of_the_file_in_order_with_all_annotation():
    both = storing.split_rows(iter(SENTENCES[:2]), iter(SENTENCES[1:3]))
    assert [row[:3] for row in both] == [("pool", "s0", 2), ("pool", "s1", 3), ("test", "s1", 3), ("test", "s2", 50)]
    found = [*made_up(5, seed=1, shortest=8), *SENTENCES]
    taken = intake(found, test=2)
    rows = list(pool.rows(lambda: found, taken))
    places = {split: {place for place, row in enumerate(rows) if row[0] == split} for split in ("pool", "test", "rest")}
    assert (places["pool"], places["test"], len(places["rest"])) == (taken.pool, taken.test, 2)
    assert [row[1:3] for row in rows] == [(one.id, one.length) for one in found]
    assert [content.from_json(row[3]) for row in rows] == found


class Watched(Document):
    """A document to which weak references can be made."""


def test_a_file_is_read_one_example_at_a_time_and_none_is_kept():
    alive, most = WeakSet(), []

    def examples():
        for number in range(50):
            alive.add(one := Watched(f"{number}", f"text {number}"))
            yield one
            del one
            most.append(len(alive))

    rows = pool.rows(examples, intake(examples(), test=5))
    assert sum(1 for _ in rows) == 50
    assert len(most) == 100 and max(most) <= 2
